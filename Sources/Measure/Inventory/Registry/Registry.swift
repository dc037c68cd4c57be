import Beacons
import Primitives

/// The beacons of a site, as people register them in beacons.csv.
package struct Registry: Equatable, Sendable {
    /// A fault of the file: its line, and a sentence without a full stop.
    package struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
        package let line: Int
        package let sentence: String

        package init(line: Int, sentence: String) {
            self.line = line
            self.sentence = sentence
        }

        package var description: String { "line \(line): \(sentence)" }
    }

    package private(set) var beacons: [RegisteredBeacon] = []
    /// In the order of the lines. A row with a fault is no beacon.
    package private(set) var faults: [Fault] = []
    /// The names of the columns that the registry does not know. A change of the file keeps them.
    package private(set) var otherColumns: [String] = []
    /// The rows that single iBeacons have, for a look-up without a search.
    private var singles: [BeaconIdentity: [Int]] = [:]
    /// The rows of one UUID and major number, by its beacon with the minor number 0: all of them, and those of ranges.
    private var groups: [BeaconIdentity: [Int]] = [:]
    private var ranges: [BeaconIdentity: [Int]] = [:]
    package private(set) var uuids: Set<ProximityUUID> = []

    /// A site has no more beacons than that.
    package static let mostRows = 100_000
    package static let maxBytes = 16 << 20

    /// Reads a file, and finds all its faults.
    package init(parsing bytes: [UInt8]) {
        let records: [CSV.Record]
        do throws(CSV.Fault) {
            records = try CSV(bytes).records
        } catch {
            faults = [Fault(line: error.line, sentence: error.sentence)]
            return
        }
        guard let header = records.first else {
            faults = [Fault(line: 1, sentence: "the file is empty; the first line names columns")]
            return
        }
        guard records.count <= Self.mostRows, bytes.count <= Self.maxBytes else {
            faults = [Fault(line: 1, sentence: "more than \(Self.mostRows.grouped) rows")]
            return
        }
        guard let columns = columns(of: header) else { return }
        for record in records.dropFirst() {
            guard record.cells.count == columns.count else {
                faults.append(
                    Fault(
                        line: record.line,
                        sentence: "\(count(record.cells.count, "cell")), but the header has"
                            + " \(columns.count)"))
                continue
            }
            var row = RegistryRow(
                line: record.line,
                cells: Dictionary(
                    zip(columns, record.cells).filter { !$0.1.isEmpty },
                    uniquingKeysWith: { first, _ in first }))
            let beacon = row.beacon
            faults += row.faults
            if let beacon { add(beacon) }
        }
    }

    /// The names of the columns, each known one as the registry writes it; `nil` after a fault.
    private mutating func columns(of header: CSV.Record) -> [String]? {
        let known = Dictionary(
            RegistryColumn.all.map { ($0.name.lowercased(), $0.name) },
            uniquingKeysWith: { first, _ in first })
        var names: [String] = []
        for cell in header.cells {
            let text = String(cell.trimmed)
            let name = known[text.lowercased()] ?? text
            if names.contains(name), !name.isEmpty {
                faults.append(
                    Fault(line: header.line, sentence: "the column \(name.quoted) is there twice"))
            }
            names.append(name)
        }
        for column in RegistryColumn.all where column.isRequired && !names.contains(column.name) {
            let near = NearestWord.to(column.name, among: names)
            faults.append(
                Fault(
                    line: header.line,
                    sentence: "the column \(column.name) is missing"
                        + (near.map { "; did you write \($0.quoted) for it?" } ?? "")))
        }
        otherColumns = names.filter { known[$0.lowercased()] == nil && !$0.isEmpty }
        return faults.isEmpty ? names : nil
    }

    private mutating func add(_ beacon: RegisteredBeacon) {
        let group = BeaconIdentity(uuid: beacon.uuid, major: beacon.major, minor: 0)
        let near =
            beacon.identity.map { (singles[$0] ?? []) + (ranges[group] ?? []) }
            ?? groups[group] ?? []
        if let other = near.map({ beacons[$0] }).first(where: beacon.overlaps) {
            let isSame = other.minors == beacon.minors
            faults.append(
                Fault(
                    line: beacon.line,
                    sentence: isSame
                        ? "\(beacon.label) is there already, in line \(other.line)"
                        : "\(beacon.label) overlaps \(other.label) of line \(other.line)"))
            return
        }
        if let identity = beacon.identity {
            singles[identity, default: []].append(beacons.count)
            // A gateway or a tag may send other formats of the same identity.
            singles[identity.translated(to: .eddystoneUID), default: []].append(beacons.count)
        } else {
            ranges[group, default: []].append(beacons.count)
        }
        groups[group, default: []].append(beacons.count)
        uuids.insert(beacon.uuid)
        beacons.append(beacon)
    }
}

extension Registry {
    /// The row of a heard beacon on a date: an AltBeacon and an Eddystone-UID are those of the iBeacon with the same numbers.
    package func beacon(of identity: BeaconIdentity, on date: String) -> RegisteredBeacon? {
        let key = identity.format == .altBeacon ? identity.translated(to: .iBeacon) : identity
        let row = singles[key]?.first { beacons[$0].holds(on: date) }
        if let row { return beacons[row] }
        guard key.format == .iBeacon else { return nil }
        let group = BeaconIdentity(uuid: key.uuid, major: key.major, minor: 0)
        return ranges[group]?.lazy.map { beacons[$0] }
            .filter { $0.minors.contains(key.minor) && $0.holds(on: date) }
            .min { $0.minors.count < $1.minors.count }
    }

    /// Whether the beacon has a UUID of the registry.
    package func isOurs(_ identity: BeaconIdentity) -> Bool {
        switch identity.format {
        case .iBeacon, .altBeacon: uuids.contains(identity.uuid)
        case .eddystoneUID:
            uuids.contains { uuid in
                let own = BeaconIdentity(uuid: uuid, major: 0, minor: 0)
                return own.translated(to: .eddystoneUID).organisation == identity.organisation
            }
        }
    }
}

extension String {
    /// Without blanks at its ends.
    var trimmed: Substring {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }

    var quoted: String { "“\(printable(limit: 100))”" }
}
