import Beacons
import Primitives

/// Beacons with a UUID of the registry, and without a row. The caller keeps visitors off.
struct UnregisteredBeacons: Sendable {
    private struct Heard {
        var reports = 0
        var windows = 0
        let first: UnixTime
        var loudest: (gateway: String, level: Double)
        var isReported = false
    }

    private var heard: [BeaconIdentity: Heard] = [:]
    private var day: Int64 = 0

    private static let leastReports = 3
    private static let leastWindows = 2
    private static let most = 10_000

    /// The number of identities of the day.
    var count: Int { heard.values.count(where: \.isReported) }

    /// - Returns: an event, once a day of one identity.
    mutating func take(
        _ identity: BeaconIdentity, reports: Int, level: Double, at gateway: String,
        _ time: UnixTime
    ) -> InventoryEvent? {
        let today = time.milliseconds / 86_400_000
        if today > day { (day, heard) = (today, [:]) }
        let key = identity.format == .altBeacon ? identity.translated(to: .iBeacon) : identity
        guard heard[key] != nil || heard.count < Self.most else { return nil }
        var entry = heard[key] ?? Heard(first: time, loudest: (gateway, level))
        entry.reports += min(reports, 1_000_000)
        entry.windows += 1
        if level > entry.loudest.level { entry.loudest = (gateway, level) }
        defer { heard[key] = entry }
        guard entry.reports >= Self.leastReports, entry.windows >= Self.leastWindows,
            !entry.isReported
        else { return nil }
        entry.isReported = true
        let (reports, gateway) = (entry.reports, entry.loudest.gateway)
        return InventoryEvent(
            kind: .unregistered, item: "\(key)", at: entry.first, decidedAt: time,
            evidence: BeaconEvidence {
                ($0.reports, $0.falsePerWeek, $0.gateways) = (reports, 0, [gateway])
            })
    }
}
