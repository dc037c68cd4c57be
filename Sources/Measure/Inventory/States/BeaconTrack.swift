import Facts
import Primitives

/// What is known of one registered beacon.
struct BeaconTrack: Sendable {
    /// Evidence of a clone, and when it came last.
    struct Clone: Sendable {
        let since: UnixSecond
        var last: UnixSecond
        var evidence: BeaconEvidence
    }

    /// Of its iBeacon.
    let key: Tag
    private(set) var first: UnixSecond?
    private(set) var last: UnixSecond?
    /// The seconds since the last report in which gateways listened that hear the beacon usually.
    private(set) var silence: Int32 = 0
    /// Whether such gateways listen. Since when.
    private(set) var isCovered = false
    private(set) var coverage: UnixSecond?
    var missing: UnixSecond?
    var clone: Clone?
    var links: [BeaconLink] = []
    var levels = LevelHistory()
    var battery = BatteryHistory()
    /// The voltages of the running hour.
    private var millivolts: [Int] = []
    var isBatteryEnding = false

    /// A clone lasts for so long after its last evidence.
    static let cloneMemory = Duration.seconds(3600)
    /// The part of the usual reports that the listening gateways must have.
    private static let leastCoverage = 0.5

    init(key: Tag) { self.key = key }

    /// Takes what a gateway has heard in a second.
    mutating func hear(
        _ level: GatewaySecond.Level, gateway: Int, limit: Int?, at second: UnixSecond
    ) -> BeaconEvidence? {
        if first == nil { first = second }
        last = second
        let index = links.firstIndex { $0.gateway == gateway } ?? links.endIndex
        if index == links.endIndex { links.append(BeaconLink(gateway: gateway, at: second)) }
        return links[index].hear(level, limit: limit, at: second)
    }

    /// Ends a second.
    ///
    /// - Returns: the silence that a report has ended, in seconds; 0 for none.
    mutating func pass(_ second: UnixSecond) -> Int32 {
        if last == second {
            defer { silence = 0 }
            return silence
        }
        if isCovered, last != nil { silence += 1 }
        return 0
    }

    mutating func cover(_ isListening: [Bool], at second: UnixSecond) {
        var (all, part) = (0.0, 0.0)
        for link in links {
            let weight = link.usual + link.reports / 3600
            all += weight
            if isListening[link.gateway] { part += weight }
        }
        let isNow = all > 0 ? part >= Self.leastCoverage * all : isListening.contains(true)
        guard isNow != isCovered || coverage == nil else { return }
        (isCovered, coverage) = (isNow, second)
    }

    mutating func take(millivolts value: Int) {
        if millivolts.count < 3600 { millivolts.append(value) }
    }

    /// Ends an hour.
    mutating func close(known: [Int], start: UnixSecond) -> InventoryHour.Beacon? {
        let samples = links.indices.compactMap { links[$0].close(known: known[links[$0].gateway]) }
        let median = Median.of(millivolts).map { Int($0) }
        millivolts = []
        guard !samples.isEmpty, let last else { return nil }
        return InventoryHour.Beacon(
            tag: key, last: min(3599, max(0, start.distance(to: last))), samples: samples,
            millivolts: median)
    }

    /// Takes over an hour of the store, in which it was heard.
    mutating func restore(_ beacon: InventoryHour.Beacon, known: [Int], start: UnixSecond) {
        let heard = start.advanced(by: beacon.last)
        if first == nil { first = start }
        (last, silence, missing) = (heard, 0, nil)
        for sample in beacon.samples {
            let index = links.firstIndex { $0.gateway == sample.gateway } ?? links.endIndex
            if index == links.endIndex {
                links.append(BeaconLink(gateway: sample.gateway, at: heard))
            }
            links[index].restore(sample, known: known[sample.gateway])
        }
        if let millivolts = beacon.millivolts { battery.take(millivolts, on: Int(start.day)) }
        isBatteryEnding = battery.trend?.isEnding ?? false
    }

    /// Takes over from before a restart that it was missing.
    mutating func restoreMissing(since second: UnixSecond, silence known: Int32) {
        if last == nil { (first, last) = (second, second) }
        (missing, silence) = (second, known)
    }
}
