import Beacons
import Facts
import Primitives

/// The estimator of a site's network of beacons.
///
/// States change within minutes. One fold therefore waits a minute for a gateway that is behind; what comes later is unknown to it.
package struct InventoryEstimator: Sendable {
    /// What a message says beside its window, of beacons that are no visitors'.
    package struct Extra: Sendable {
        package var millivolts: [Tag: Int] = [:]
        package var echoes: [Tag] = []

        package init() {}
    }

    /// What is new.
    package struct News: Sendable {
        package var events: [InventoryEvent] = []
        package var hours: [InventoryHour] = []
    }

    private var fold: InventoryFold
    private var unregistered = UnregisteredBeacons()
    /// Events that did not wait for the fold.
    private var early: [InventoryEvent] = []

    /// How long a fold waits for a gateway.
    package static let lateness = Duration.seconds(60)
    /// After so long without any window, nothing is known.
    private static let silence = Duration.seconds(60) + lateness
    private static let learning = Duration.seconds(72 * 3600)
    /// A gateway that does not listen for a moment makes nothing unknown.
    private static let steady = Duration.seconds(30)
    private static let mostEarly = 1000

    package init(_ table: InventoryTable) { fold = InventoryFold(table) }

    package var table: InventoryTable { fold.table }

    /// Follows a change of the registry, or of the date.
    package mutating func use(_ table: InventoryTable) { fold.use(table) }

    /// Takes a window, whose readings have the tags of `InventoryTable.tag`.
    package mutating func take(
        _ window: WindowFact, _ extra: Extra, from gateway: String
    ) -> FactOutcome {
        guard let index = fold.index(of: gateway) else { return .excess }
        let outcome = fold.take(window, from: index)
        guard outcome == .new else { return outcome }
        for (tag, millivolts) in extra.millivolts { fold.take(millivolts: millivolts, of: tag) }
        for tag in extra.echoes {
            early += fold.takeEcho(tag, at: gateway, window.span.lowerBound)
        }
        return outcome
    }

    /// Takes a sighting of a beacon with a UUID of the registry that has no row and is no visitor's.
    package mutating func take(
        unregistered identity: BeaconIdentity, reports: Int, level: Double, at gateway: String,
        _ time: UnixTime
    ) {
        let event = unregistered.take(
            identity, reports: reports, level: level, at: gateway, time)
        if let event, early.count < Self.mostEarly { early.append(event) }
    }

    /// Takes over what earlier runs have learnt, in the order of time, and the beacons that were missing.
    package mutating func restore(
        _ hours: [InventoryHour], missing: [(item: String, since: UnixTime)]
    ) {
        for hour in hours { fold.restore(hour) }
        for beacon in missing { fold.restoreMissing(beacon.item, since: beacon.since) }
    }

    /// Whether no window has come yet.
    package var isNew: Bool { fold.newest == nil }
    package var newest: UnixTime? { fold.newest }
    /// Whether the last call of `advance` has left seconds to the next one.
    package var isBehind: Bool { fold.isBehind }

    /// Folds to the present.
    ///
    /// - Parameters:
    ///   - wall: the caller's clock: a gateway whose clock is ahead makes the others no later.
    ///   - limit: the time that one call folds; the rest follows in the next calls.
    package mutating func advance(
        wall: UnixTime = .max, atMost limit: Duration? = nil
    ) -> News {
        var news = News(events: early)
        early = []
        guard let newest = fold.newest else { return news }
        let found = fold.advance(settling: min(newest, wall) - Self.lateness, atMost: limit)
        news.events += found.events
        news.hours += found.hours
        return news
    }

    // MARK: The present

    package var count: Int { fold.tracks.count }

    /// The beacons whose identity several devices send.
    package var clones: Set<Tag> {
        let indices = fold.tracks.indices.filter { fold.tracks[$0].clone != nil }
        return Set(indices.map { fold.table.entries[$0].key })
    }

    /// A beacon at present.
    ///
    /// - Parameter wall: the caller's clock.
    package func now(_ index: Int, wall: UnixTime) -> BeaconNow {
        let (entry, track) = (fold.table.entries[index], fold.tracks[index])
        let isSilent = fold.newest.map { wall - $0 > Self.silence } ?? true
        let (state, since, evidence) = state(entry, track, index, isSilent: isSilent)
        return BeaconNow(
            entry: entry, at: fold.next?.start, state: state, since: since?.start,
            evidence: evidence, lastHeard: track.last?.start,
            gateways: track.links.filter { $0.usual > 0 || $0.reports > 0 }
                .map { .init(name: fold.gateways[$0.gateway], level: $0.level) }
                .sorted { ($1.level, $0.name) < ($0.level, $1.name) },
            battery: track.battery.trend.map { BeaconEvidence($0) })
    }

    private func state(
        _ entry: InventoryTable.Entry, _ track: BeaconTrack, _ index: Int, isSilent: Bool
    ) -> (BeaconState, since: UnixSecond?, BeaconEvidence?) {
        if entry.isRetired { return (.retired, nil, nil) }
        if let clone = track.clone { return (.clone, clone.since, clone.evidence) }
        if let missing = track.missing { return (.missing, missing, fold.silence(of: index)) }
        guard let first = track.first else { return (.unseen, nil, nil) }
        // After a restart, the first window is still to come.
        guard let next = fold.next, !isSilent else { return (.unknown, fold.next, nil) }
        if !track.isCovered, let coverage = track.coverage, next - coverage >= Self.steady {
            let evidence = BeaconEvidence { $0.gateways = fold.usualGateways(of: index) }
            return (.unknown, coverage, evidence)
        }
        if track.isBatteryEnding, let trend = track.battery.trend {
            return (.battery, nil, BeaconEvidence(trend))
        }
        if let change = track.levels.change {
            let (kind, evidence) = fold.evidence(of: change, index)
            return (kind == .moved ? .moved : .interval, nil, evidence)
        }
        return (next - first < Self.learning ? .learning : .ok, nil, nil)
    }
}

/// A registered beacon at present.
package struct BeaconNow: Sendable {
    /// What a gateway heard last.
    package struct Gateway: Equatable, Sendable {
        package let name: String
        /// In dBm.
        package let level: Double
    }

    package let entry: InventoryTable.Entry
    /// The end of the last second that the state describes; `nil` before the first one.
    package let at: UnixTime?
    package let state: BeaconState
    /// `nil` where no time is known.
    package let since: UnixTime?
    package let evidence: BeaconEvidence?
    package let lastHeard: UnixTime?
    /// The loudest first.
    package let gateways: [Gateway]
    package let battery: BeaconEvidence?
}
