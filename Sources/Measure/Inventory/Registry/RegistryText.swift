import Beacons
import Primitives

/// Writes beacons.csv.
package enum RegistryText {
    /// A table as CSV; cells with commas, quotes or line ends are in quotes.
    package static func csv(_ rows: [[String]]) -> String {
        rows.map { row($0) + "\n" }.joined()
    }

    static func row(_ cells: [String], separator: Character = ",") -> String {
        cells.map(cell).joined(separator: String(separator))
    }

    private static func cell(_ text: String) -> String {
        let mustQuote = text.contains { $0 == "," || $0 == "\"" || $0.isNewline || $0 == ";" }
        guard mustQuote else { return text }
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + parts.joined(separator: "\"\"") + "\""
    }

    private static let columns = RegistryColumn.all.map(\.name)

    /// A registry of the beacons that were heard: iBeacons and AltBeacons, once each.
    package static func registry(
        of heard: HeardBeacons, kind: RegisteredBeacon.Kind, uuid: ProximityUUID?
    ) -> String {
        var rows: [BeaconIdentity: HeardBeacons.Beacon] = [:]
        for (identity, beacon) in heard.beacons where identity.format != .eddystoneUID {
            guard uuid == nil || identity.uuid == uuid else { continue }
            rows[identity.translated(to: .iBeacon)] = beacon
        }
        let sorted = rows.sorted {
            ("\($0.key.uuid)", $0.key.suffix) < ("\($1.key.uuid)", $1.key.suffix)
        }
        return csv(
            [columns]
                + sorted.map { identity, beacon in
                    let cells = [
                        "uuid": "\(identity.uuid)", "major": "\(identity.major)",
                        "minor": "\(identity.minor)", "kind": kind.rawValue,
                        "measuredPower": "\(beacon.measuredPower)",
                        "telemetry": beacon.millivolts == nil ? "" : "yes",
                    ]
                    return columns.map { cells[$0] ?? "" }
                })
    }
}

/// The export of a vendor's tool as a registry: known columns under the registry's names, all others behind them.
package struct RegistryImport: Sendable {
    package let text: String
    /// Rows without an iBeacon's identity, and faults of the table.
    package private(set) var faults: [Registry.Fault] = []
    package let rows: Int

    /// - Parameter kind: that of all beacons without one.
    package init(parsing bytes: [UInt8], kind: RegisteredBeacon.Kind) throws(Registry.Fault) {
        let records: [CSV.Record]
        do throws(CSV.Fault) {
            records = try CSV(bytes).records
        } catch {
            throw Registry.Fault(line: error.line, sentence: error.sentence)
        }
        guard let header = records.first else {
            throw Registry.Fault(line: 1, sentence: "the file is empty")
        }
        var places: [String: Int] = [:]
        var others: [Int] = []
        for (index, cell) in header.cells.enumerated() {
            if let column = RegistryColumn.meant(by: cell), places[column.name] == nil {
                places[column.name] = index
            } else if !cell.trimmed.isEmpty {
                others.append(index)
            }
        }
        for name in ["uuid", "major", "minor"] where places[name] == nil {
            throw Registry.Fault(
                line: header.line,
                sentence: "no column for \(name) among \(header.cells.joined(separator: ", "))"
                    .printable(limit: 400))
        }
        let columns = RegistryColumn.all.map(\.name)
        var table = [columns + others.map { String(header.cells[$0].trimmed) }]
        for record in records.dropFirst() {
            func cell(_ index: Int?) -> String {
                guard let index, index < record.cells.count else { return "" }
                return String(record.cells[index].trimmed)
            }
            var cells = columns.map { cell(places[$0]) }
            if let index = columns.firstIndex(of: "kind"), cells[index].isEmpty {
                cells[index] = kind.rawValue
            }
            if cells.prefix(3).contains(where: \.isEmpty) {
                faults.append(
                    Registry.Fault(
                        line: record.line, sentence: "left out: it has no UUID, major and minor"))
                continue
            }
            table.append(cells + others.map { cell($0) })
        }
        rows = table.count - 1
        text = RegistryText.csv(table)
    }
}
