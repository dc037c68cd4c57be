import Facts
import Primitives

/// What one gateway hears of one beacon.
struct BeaconLink: Sendable {
    let gateway: Int
    /// The levels of the running hour: reports by dBm from −110.
    private var levels: [UInt32] = []
    private(set) var reports = 0.0
    /// The latest level, in dBm, and its second.
    private(set) var level = 0.0
    private(set) var last: UnixSecond
    /// Reports a second of listening, over some hours.
    private(set) var usual = 0.0
    private var recent = RecentReports()
    /// The first of the seconds with several senders.
    private var firstCrowd: UnixSecond?

    private static let weakest = -110
    private static let bins = 100
    /// Of the level of the present.
    private static let smoothing = 0.1
    /// A device that changes its address has two senders in one window. A clone has two in windows that are so far apart.
    private static let crowd = Duration.seconds(20)...Duration.seconds(300)

    init(gateway: Int, at second: UnixSecond) {
        self.gateway = gateway
        last = second
    }

    /// Takes a second in which the beacon was heard.
    ///
    /// - Parameter limit: the reports that one device can send in a minute; `nil` if that is not known.
    /// - Returns: evidence of a clone.
    mutating func hear(
        _ heard: GatewaySecond.Level, limit: Int?, at second: UnixSecond
    ) -> BeaconEvidence? {
        if levels.isEmpty { levels = Array(repeating: 0, count: Self.bins) }
        let bin = min(max(0, Int(heard.power.rounded()) - Self.weakest), Self.bins - 1)
        levels[bin] &+= UInt32(max(1, min(heard.reports.rounded(), 100_000)))
        let isStale = second - last > .seconds(60) || reports == 0 && usual == 0
        level = isStale ? heard.power : level + Self.smoothing * (heard.power - level)
        last = second
        reports += heard.reports
        let count = recent.add(heard.reports, at: second)
        if let limit, count > Double(limit) {
            return BeaconEvidence { ($0.reports, $0.limit) = (Int(count), limit) }
        }
        guard heard.senders > 1 else { return nil }
        let start = firstCrowd.flatMap { second - $0 <= Self.crowd.upperBound ? $0 : nil }
        firstCrowd = start ?? second
        guard let start, second - start >= Self.crowd.lowerBound else { return nil }
        return BeaconEvidence { $0.senders = heard.senders }
    }

    /// Ends the hour.
    ///
    /// - Parameter known: the seconds in which the gateway listened.
    /// - Returns: `nil` if there was no report.
    mutating func close(known: Int) -> InventoryHour.Sample? {
        if known > 0 {
            let rate = reports / Double(known)
            usual += (rate - usual) * (usual == 0 ? 1 : 0.1)
        }
        defer { (levels, reports) = ([], 0) }
        guard let median else { return nil }
        return .init(gateway: gateway, level: median, reports: Int(reports.rounded()))
    }

    /// Takes over an hour of the store.
    mutating func restore(_ sample: InventoryHour.Sample, known: Int) {
        reports = Double(sample.reports)
        level = Double(sample.level)
        _ = close(known: known)
    }

    private var median: Int? {
        let total = levels.reduce(0) { $0 + UInt64($1) }
        guard total > 0 else { return nil }
        var sum: UInt64 = 0
        for (bin, count) in levels.enumerated() {
            sum += UInt64(count)
            if sum * 2 >= total { return bin + Self.weakest }
        }
        return nil
    }
}

/// The reports of the last minute, in steps of ten seconds.
struct RecentReports: Equatable, Sendable {
    private var counts: (Float, Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0, 0)
    private var slot: UnixSecond = 0

    private static let step = Duration.seconds(10)

    static func == (left: RecentReports, right: RecentReports) -> Bool {
        left.counts == right.counts && left.slot == right.slot
    }

    /// - Returns: the reports of up to a minute.
    mutating func add(_ reports: Double, at second: UnixSecond) -> Double {
        let present = second.floored(to: Self.step)
        let steps = min(6, max(0, slot.distance(to: present) / 10))
        for _ in 0..<steps {
            counts = (0, counts.0, counts.1, counts.2, counts.3, counts.4)
        }
        slot = present
        counts.0 += Float(reports)
        return Double(counts.0 + counts.1 + counts.2 + counts.3 + counts.4 + counts.5)
    }
}
