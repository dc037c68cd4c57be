import Beacons
import Primitives
import Ranging

/// A line of labels.csv: where a beacon stood, and when.
struct LabelRow: Equatable {
    /// In its file.
    let line: Int
    let beacon: BeaconIdentity
    let place: RoomPlace
    let from: UnixTime
    let until: UnixTime

    struct Fault: Error, Equatable {
        let line: Int
        let sentence: String
    }

    /// More labels do not improve the model.
    static let most = 10_000
    static let maxBytes = 1 << 20
    private static let columns = ["at", "seconds", "beacon", "x", "y", "z"]

    /// Reads a file, and finds the first fault.
    static func rows(parsing bytes: [UInt8]) throws(Fault) -> [LabelRow] {
        let records: [CSV.Record]
        do throws(CSV.Fault) {
            records = try CSV(bytes).records
        } catch {
            throw Fault(line: error.line, sentence: error.sentence)
        }
        guard records.first?.cells == columns, records.count <= most else {
            throw Fault(
                line: 1,
                sentence: "the first line must be \(columns.joined(separator: ",")), and at most"
                    + " \(most.grouped) lines follow")
        }
        var rows: [LabelRow] = []
        for record in records.dropFirst() { rows.append(try row(record)) }
        return rows
    }

    private static func row(_ record: CSV.Record) throws(Fault) -> LabelRow {
        guard record.cells.count == columns.count else {
            throw Fault(line: record.line, sentence: "\(columns.count) cells are expected")
        }
        let cells = record.cells
        guard let at = Int64(cells[0]), (0...4_102_444_800_000).contains(at) else {
            throw Fault(line: record.line, sentence: "at must be milliseconds since 1970")
        }
        guard let seconds = Int64(cells[1]), (1...3600).contains(seconds) else {
            throw Fault(line: record.line, sentence: "seconds must be 1 to 3600")
        }
        guard let beacon = BeaconIdentity(cells[2]) else {
            throw Fault(line: record.line, sentence: "beacon must be UUID/MAJOR/MINOR")
        }
        let metres = cells[3...].map { Double($0) }
        guard let x = metres[0], let y = metres[1], let z = metres[2],
            [x, y, z].allSatisfy({ $0.isFinite && abs($0) <= 100_000 })
        else { throw Fault(line: record.line, sentence: "x, y and z must be metres") }
        let from = UnixTime(milliseconds: at)
        return LabelRow(
            line: record.line, beacon: beacon, place: RoomPlace(PlanPoint(x, y), z: z), from: from,
            until: from + .seconds(seconds))
    }
}
