import Beacons
import Primitives

/// The cells of one row, and their faults.
struct RegistryRow {
    let line: Int
    /// By the name of the column; none is empty.
    let cells: [String: String]
    private(set) var faults: [Registry.Fault] = []

    init(line: Int, cells: [String: String]) {
        self.line = line
        self.cells = cells.mapValues { String($0.trimmed) }.filter { !$0.value.isEmpty }
    }

    /// The beacon; `nil` after a fault.
    var beacon: RegisteredBeacon? {
        mutating get {
            for column in RegistryColumn.all where column.isRequired && cells[column.name] == nil {
                note("\(column.name) is missing")
            }
            let uuid = parsed("uuid", "a UUID") { ProximityUUID($0) }
            let major = parsed("major", "a number from 0 to 65535") { UInt16($0) }
            let minors = parsed("minor", "a number from 0 to 65535, a range such as 1-200, or *") {
                Self.minors($0)
            }
            let kind = kind
            let place = place
            let interval = parsed("intervalMs", "a number from 20 to 10240") {
                Int($0).flatMap { (20...10_240).contains($0) ? $0 : nil }
            }
            let power = parsed("measuredPower", "a number from -127 to 20") {
                Int8($0).flatMap { (-127...20).contains($0) ? $0 : nil }
            }
            let telemetry = parsed("telemetry", "yes or no") { Self.truths[$0.lowercased()] }
            let since = parsed("since", "a date such as 2026-11-28") { Self.date($0) }
            let until = parsed("until", "a date such as 2026-11-28") { Self.date($0) }
            if let since, let until, until < since { note("until is before since") }
            if let kind, let minors, minors.count > 1, !kind.mayBeRange {
                note("a range of minor numbers is for visitors and staff, not for \(kind.rawValue)")
            }
            guard faults.isEmpty, let uuid, let major, let minors, let kind else { return nil }
            return RegisteredBeacon(
                line: line, uuid: uuid, major: major, minors: minors, kind: kind,
                name: cells["name"], zone: cells["zone"], place: place, intervalMs: interval,
                measuredPower: power, telemetry: telemetry, since: since, until: until)
        }
    }

    private mutating func note(_ sentence: String) {
        faults.append(Registry.Fault(line: line, sentence: sentence))
    }

    private mutating func parsed<Value>(
        _ column: String, _ expected: String, _ parse: (String) -> Value?
    ) -> Value? {
        guard let text = cells[column] else { return nil }
        if let value = parse(text) { return value }
        note("\(column) must be \(expected), not \(text.quoted)")
        return nil
    }

    private var kind: RegisteredBeacon.Kind? {
        mutating get {
            guard let text = cells["kind"] else { return nil }
            if let kind = RegisteredBeacon.Kind(rawValue: text.lowercased()) { return kind }
            let words = RegisteredBeacon.Kind.allCases.map(\.rawValue)
            let near = NearestWord.to(text.lowercased(), among: words)
            note(
                "kind must be one of \(words.joined(separator: ", ")), not \(text.quoted)"
                    + (near.map { "; did you mean \($0)?" } ?? ""))
            return nil
        }
    }

    private var place: RegisteredBeacon.Place? {
        mutating get {
            func metres(_ text: String) -> Double? {
                Double(text).flatMap { $0.isFinite && abs($0) <= 100_000 ? $0 : nil }
            }
            let x = parsed("x", "metres", metres)
            let y = parsed("y", "metres", metres)
            let z = parsed("z", "metres", metres)
            if (cells["x"] == nil) != (cells["y"] == nil) { note("x and y come together") }
            if cells["z"] != nil, cells["x"] == nil { note("z needs x and y") }
            guard let x, let y else { return nil }
            return RegisteredBeacon.Place(x: x, y: y, z: z)
        }
    }

    private static let truths = [
        "yes": true, "true": true, "1": true, "no": false, "false": false, "0": false,
    ]

    private static func minors(_ text: String) -> ClosedRange<UInt16>? {
        if text == "*" { return 0...UInt16.max }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = UInt16(parts[0].trimmingBlanks),
            let last = UInt16(parts[parts.count - 1].trimmingBlanks), first <= last
        else { return nil }
        return first...last
    }

    /// A date of the calendar.
    private static func date(_ text: String) -> String? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.map(\.utf8.count) == [4, 2, 2],
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (48...57).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            (1...12).contains(month)
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        return (1...days).contains(day) ? text : nil
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring { String(self).trimmed }
}
