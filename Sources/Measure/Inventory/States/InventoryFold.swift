import Facts
import Primitives

/// The fold over the seconds of a site's gateways: which registered beacons are as they should be.
///
/// It is a value. Every gateway of the site takes part, from its first window on.
struct InventoryFold: Sendable {
    private var timelines: [GatewayTimeline] = []
    private(set) var gateways: [String] = []
    private var indices: [String: Int] = [:]
    private(set) var isListening: [Bool] = []
    /// The listening seconds of the running hour, by gateway.
    var known: [Int] = []
    var hourExposure = 0
    var hourSilences: [Int32] = []
    private(set) var table: InventoryTable
    var tracks: [BeaconTrack]
    var pool = SilencePool()
    var deadline = SilencePool.early
    /// The next second to fold; `nil` before the first.
    private(set) var next: UnixSecond?
    private(set) var isBehind = false
    private var silence = Duration.zero

    static let mostGateways = 256
    /// After so long without any message, nothing happens until the next one.
    private static let longestSilence = Duration.seconds(600)

    init(_ table: InventoryTable) {
        self.table = table
        tracks = table.entries.map { BeaconTrack(key: $0.key) }
    }

    /// Follows a change of the registry, or of the date. What is known of the beacons stays.
    mutating func use(_ new: InventoryTable) {
        let known = Dictionary(
            tracks.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        table = new
        tracks = new.entries.map { entry in
            var track = known[entry.key] ?? BeaconTrack(key: entry.key)
            track.levels.forget(before: entry.learnsFrom)
            return track
        }
        cover(at: next ?? 0)
    }

    /// The index of a gateway; `nil` if there are too many.
    mutating func index(of gateway: String) -> Int? {
        if let index = indices[gateway] { return index }
        guard gateways.count < Self.mostGateways else { return nil }
        indices[gateway] = gateways.count
        gateways.append(gateway)
        var timeline = GatewayTimeline()
        timeline.isFinal = true
        timelines.append(timeline)
        isListening.append(false)
        known.append(0)
        return gateways.count - 1
    }

    mutating func take(_ window: WindowFact, from gateway: Int) -> FactOutcome {
        timelines[gateway].take(window)
    }

    mutating func take(millivolts: Int, of tag: Tag) {
        guard let subject = table[tag] else { return }
        tracks[subject.index].take(millivolts: millivolts)
    }

    /// The newest time of any window.
    var newest: UnixTime? { timelines.compactMap(\.newest).max() }

    // MARK: Folding

    /// Folds the seconds that all gateways have passed, and by force those before `bound`.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    mutating func advance(
        settling bound: UnixTime, atMost limit: Duration? = nil
    ) -> Found {
        isBehind = false
        var found = Found()
        let ends = timelines.indices.map { timelines[$0].settle(upTo: bound) }
        guard let end = ends.min(), let first = next ?? oldest else { return found }
        let whole = UnixSecond(containing: end)
        let last = limit.map { min(whole, first + $0) } ?? whole
        while let second = next ?? oldest, second < last {
            let start = min(oldest ?? last, last)
            if silence >= Self.longestSilence, start > second {
                for gateway in timelines.indices { _ = timelines[gateway].skip(second..<start) }
                closeHours(second..<start, &found)
                next = start
            } else {
                fold(second, &found)
                next = second.next
            }
        }
        isBehind = last < whole
        return found
    }

    private var oldest: UnixSecond? {
        timelines.compactMap(\.oldest).min().map(UnixSecond.init(containing:))
    }

    /// What some seconds have brought.
    struct Found {
        var events: [InventoryEvent] = []
        var hours: [InventoryHour] = []
    }

    private mutating func fold(_ second: UnixSecond, _ found: inout Found) {
        let states = timelines.indices.map { timelines[$0].second(second) }
        silence = states.allSatisfy(\.isSilent) ? silence + .seconds(1) : .zero
        let listening = states.map(\.isListening)
        if listening != isListening {
            isListening = listening
            cover(at: second)
        }
        for (gateway, state) in states.enumerated() where state.isListening {
            known[gateway] += 1
            for level in state.levels where level.reports > 0 {
                hear(level, gateway, at: second, &found)
            }
        }
        for index in tracks.indices where !table.entries[index].isRetired {
            pass(index, second, &found)
        }
        closeHours(second..<second.next, &found)
    }

    private mutating func hear(
        _ level: GatewaySecond.Level, _ gateway: Int, at second: UnixSecond, _ found: inout Found
    ) {
        guard let subject = table[level.tag] else { return }
        let limit = subject.isCounted ? table.entries[subject.index].limit : nil
        let evidence = tracks[subject.index].hear(
            level, gateway: gateway, limit: limit, at: second)
        guard var evidence else { return }
        evidence.gateways = [gateways[gateway]]
        clone(subject.index, evidence, at: second, &found)
    }

    private mutating func clone(
        _ index: Int, _ evidence: BeaconEvidence, at second: UnixSecond, _ found: inout Found
    ) {
        if let clone = tracks[index].clone, second - clone.last <= BeaconTrack.cloneMemory {
            tracks[index].clone?.last = max(clone.last, second)
            return
        }
        // One device is never two: the count and the senders cannot err.
        var evidence = evidence
        evidence.falsePerWeek = 0
        tracks[index].clone = .init(since: second, last: second, evidence: evidence)
        found.events.append(event(.clone, index, evidence, from: second, at: second))
    }

    /// Takes a sighting of a gateway's own identity from another device.
    mutating func takeEcho(_ tag: Tag, at gateway: String, _ time: UnixTime) -> [InventoryEvent] {
        guard let subject = table[tag] else { return [] }
        var found = Found()
        let evidence = BeaconEvidence { ($0.isEcho, $0.gateways) = (true, [gateway]) }
        clone(subject.index, evidence, at: UnixSecond(containing: time), &found)
        return found.events
    }

    private mutating func pass(_ index: Int, _ second: UnixSecond, _ found: inout Found) {
        let ended = tracks[index].pass(second)
        if ended > 0 {
            // A beacon that was away for long was no silence of the air.
            if tracks[index].missing == nil || Int(ended) <= 2 * deadline {
                if pool.add(ended) { hourSilences.append(ended) }
            }
            if let since = tracks[index].missing {
                tracks[index].missing = nil
                let evidence = BeaconEvidence {
                    $0.silence = .seconds(Int64(ended))
                    $0.gateways = heard(index, at: second)
                }
                found.events.append(event(.found, index, evidence, from: since, at: second))
            }
        }
        guard tracks[index].missing == nil, tracks[index].isCovered else { return }
        if tracks[index].last != nil {
            pool.exposure += 1
            hourExposure += 1
        }
        guard Int(tracks[index].silence) >= deadline, let last = tracks[index].last else { return }
        tracks[index].missing = last
        found.events.append(event(.missing, index, silence(of: index), from: last, at: second))
    }

    /// The evidence of a missing beacon.
    func silence(of index: Int) -> BeaconEvidence {
        let seconds = Int(tracks[index].silence)
        return BeaconEvidence {
            $0.silence = .seconds(seconds)
            $0.deadline = .seconds(deadline)
            $0.falsePerWeek = pool.falsePerWeek(max(seconds, deadline), of: table.expected)
            $0.gateways = usualGateways(of: index)
        }
    }

    func usualGateways(of index: Int) -> [String] {
        tracks[index].links.filter { $0.usual > 0 || $0.reports > 0 }.map { gateways[$0.gateway] }
            .sorted()
    }

    private func heard(_ index: Int, at second: UnixSecond) -> [String] {
        tracks[index].links.filter { $0.last == second }.map { gateways[$0.gateway] }.sorted()
    }

    func event(
        _ kind: InventoryEvent.Kind, _ index: Int, _ evidence: BeaconEvidence,
        from start: UnixSecond, at second: UnixSecond
    ) -> InventoryEvent {
        InventoryEvent(
            kind: kind, item: table.entries[index].item, at: start.start,
            decidedAt: second.next.start, evidence: evidence)
    }

    mutating func cover(at second: UnixSecond) {
        for index in tracks.indices { tracks[index].cover(isListening, at: second) }
    }
}
