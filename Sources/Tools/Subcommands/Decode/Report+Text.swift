import Beacons
import JSON
import Primitives
import Terminal

extension Report {
    /// The report on one line.
    func line(at time: Instant) -> String {
        let signal = rssi.isAvailable ? "\(rssi.dBm) dBm" : "no RSSI"
        var phrases = structures.map(\.phrase)
        if data.isEmpty { phrases = ["no data"] }
        if isFragment { phrases.append("a part of longer data") }
        if malformedAt != nil { phrases.append("MALFORMED: a structure is cut short") }
        if !rssi.isPlausible { phrases.append("IMPLAUSIBLE RSSI") }
        return [
            UTCTime(time).stamp, pdu.name.padded(15), signal.rightAligned(8),
            AddressKind(sender).rawValue.padded(22), phrases.joined(separator: "; "),
        ].joined(separator: "  ")
    }

    /// The report for programs; `at` is in milliseconds.
    func json(at time: Instant) -> JSON {
        .object(
            [
                .init("type", .string("report")),
                .init("at", .integer(time.milliseconds)),
                .init("pdu", .string(pdu.name)), .init("extended", .bool(isExtended)),
            ] + (rssi.isAvailable ? [.init("rssi", .integer(Int(rssi.dBm)))] : []) + [
                .init("address", .string(AddressKind(sender).rawValue)),
                .init("structures", .array(structures.map(\.json))),
                .init("malformed", .bool(malformedAt != nil)),
                .init("implausible", .bool(!rssi.isPlausible)),
            ] + (isFragment ? [.init("fragment", .bool(true))] : []))
    }
}

extension EventReports {
    /// The line of a truncated report.
    func malformedLine(offset: Int, at time: Instant) -> String {
        "\(UTCTime(time).stamp)  MALFORMED: the report at byte \(offset) of its event is cut short"
    }

    func malformedJSON(offset: Int, at time: Instant) -> JSON {
        .object([
            .init("type", .string("report")),
            .init("at", .integer(time.milliseconds)),
            .init("extended", .bool(isExtended)), .init("malformed", .bool(true)),
            .init("malformedAt", .integer(offset)),
        ])
    }
}
