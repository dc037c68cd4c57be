import JSON
import Primitives
import Terminal

extension CaptureSummary {
    /// The summary for programs: a line for the capture, and one for each identity.
    func json(file: String, kind: String) -> [JSON] {
        let total = JSON.object([
            .init("type", .string("capture")), .init("file", .string(file)),
            .init("kind", .string(kind)),
            .init("start", milliseconds(span?.lowerBound)),
            .init("end", milliseconds(span?.upperBound)), .init("events", .integer(events)),
            .init("advertisingEvents", .integer(advertisingEvents)),
            .init("reports", .integer(reports.all)), .init("legacy", .integer(reports.legacy)),
            .init("extended", .integer(reports.extended)), .init("empty", .integer(reports.empty)),
            .init("malformed", .integer(reports.malformed)),
            .init("implausible", .integer(reports.implausible)),
            .init("fragments", .integer(reports.fragments)),
            .init("beacons", .integer(reports.beacons)),
            .init("eddystone", .integer(reports.eddystones)),
            .init("altBeacon", .integer(reports.altBeacons)),
            .init("senders", .integer(senders.values.reduce(0) { $0 + $1.count })),
            .init("lost", .integer(Int(drops))), .init("clockStepsBack", .integer(stepsBack)),
        ])
        return [total] + identities.map(json)
    }

    private func json(_ entry: Entry) -> JSON {
        let signal = entry.signal
        let rssi = JSON.object([
            .init("min", .integer(Int(signal.min))), .init("max", .integer(Int(signal.max))),
            .init("mean", .number((signal.mean * 100).rounded() / 100)),
        ])
        return .object(
            [
                .init("type", .string("ibeacon")),
                .init("uuid", .string("\(entry.identity.uuid)")),
                .init("major", .integer(Int(entry.identity.major))),
                .init("minor", .integer(Int(entry.identity.minor))),
                .init("measuredPower", .integer(Int(entry.measuredPower))),
                .init("count", .integer(entry.reports)),
            ] + (signal.count > 0 ? [.init("rssi", rssi)] : []) + [
                .init("senders", .integer(entry.senders.count)),
                .init("firstSeen", milliseconds(entry.first)),
                .init("lastSeen", milliseconds(entry.last)),
            ])
    }

    private func milliseconds(_ instant: Instant?) -> JSON {
        instant.map { .integer($0.milliseconds) } ?? .null
    }
}
