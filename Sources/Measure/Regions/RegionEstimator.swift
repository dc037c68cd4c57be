import Facts
import Primitives

/// The estimator of a site's regions.
///
/// Beside the final fold, a live one runs ahead to the present. Events are published as soon as the live one decides them. The final
/// fold follows from the set of the messages alone: an event that it does not have is withdrawn.
package struct RegionEstimator: Sendable {
    /// What readers must hear.
    package struct Publication: Equatable, Sendable {
        package let event: RegionEvent
        /// Whether late messages have shown that the event did not happen.
        package let isWithdrawn: Bool
        /// How often this event was withdrawn before.
        package let revision: Int
    }

    private var folds: SiteFolds<RegionFold>
    private var subjects = RegionSubjects()
    /// The published events that are not final.
    private var published: [RegionEvent.Key: RegionEvent] = [:]
    /// How often events of the last hours were withdrawn.
    private var withdrawals: [RegionEvent.Key: Int] = [:]
    private var forgotten: UnixTime?

    private static let forgettingPeriod = Duration.seconds(3600)

    /// - Parameters:
    ///   - allowedLateness: how late a message may come.
    ///   - mostPendingBytes: the memory for windows that wait behind a hole; beyond it, the hole is passed.
    package init(
        _ table: RegionTable, allowedLateness: Duration = .seconds(3600),
        mostPendingBytes: Int = 8_000_000
    ) {
        folds = SiteFolds(
            RegionFold(table), gateways: table.gateways, allowedLateness: allowedLateness,
            mostPendingBytes: mostPendingBytes)
    }

    /// Takes a window, whose readings have the tags of `heard`.
    package mutating func take(
        _ window: WindowFact, from gateway: String, heard: [Tag: RegionTable.Subject]
    ) -> FactOutcome {
        let outcome = folds.take(window, from: gateway)
        guard outcome == .new else { return outcome }
        for (tag, subject) in heard {
            _ = subjects.note(tag, subject, at: window.span.lowerBound)
        }
        return outcome
    }

    /// Takes a beacon that was in a region before a restart: it may still be there.
    package mutating func restore(
        _ tag: Tag, _ subject: RegionTable.Subject, in region: String, wasUnknown: Bool = false,
        at time: UnixTime
    ) {
        guard subjects.note(tag, subject, at: time) else { return }
        _ = folds.update {
            $0.restore(tag, in: region, wasUnknown: wasUnknown)
            return .new
        }
    }

    /// The newest time of any window; `nil` before the first one.
    package var newest: UnixTime? { folds.final.seconds.newest }

    /// Whether no window has come yet.
    package var isNew: Bool { newest == nil }

    package func subject(of tag: Tag) -> RegionTable.Subject? { subjects[tag] }

    /// Whether the last call of `advance` has left seconds to the next one.
    package var isBehind: Bool { folds.isBehind }

    /// Folds to the present.
    ///
    /// - Parameters:
    ///   - second: the caller's clock.
    ///   - limit: the time that one call folds; the rest follows in the next calls.
    package mutating func advance(
        through second: UnixSecond, atMost limit: Duration? = nil
    ) -> [Publication] {
        guard let newest else { return [] }
        let found = folds.advance(subjects, atMost: limit)
        folds.advance(through: second, subjects, atMost: limit)
        forget(newest)
        return publications(of: found)
    }

    /// The events that no late message can change, without those of the present.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    package mutating func settle(atMost limit: Duration? = nil) -> [Publication] {
        guard let newest else { return [] }
        let found = folds.advance(subjects, atMost: limit)
        forget(newest)
        return publications(of: found)
    }

    /// Folds everything: no message will follow.
    package mutating func finish() -> [Publication] {
        publications(of: folds.finish(subjects))
    }

    private mutating func forget(_ newest: UnixTime) {
        if let forgotten, newest - forgotten < Self.forgettingPeriod { return }
        forgotten = newest
        subjects.forget(newest: newest)
        withdrawals = withdrawals.filter { $0.key.decidedAt > newest - Self.forgettingPeriod * 2 }
    }

    /// What readers must hear, so that they know the final events and those of the live fold.
    private mutating func publications(of final: [RegionEvent]) -> [Publication] {
        var result: [Publication] = []
        for event in final where published.removeValue(forKey: event.key) == nil {
            result.append(publication(of: event))
        }
        let end = folds.final.seconds.next?.start ?? .min
        let current = liveEvents
        for event in current ?? []
        where event.decidedAt > end && published[event.key] == nil {
            published[event.key] = event
            result.append(publication(of: event))
        }
        let kept = current.map { Set($0.map(\.key)) }
        let undone = published.filter { key, _ in
            key.decidedAt <= end || kept.map { !$0.contains(key) } ?? false
        }
        for event in undone.values {
            published[event.key] = nil
            result.append(publication(of: event, isWithdrawn: true))
            withdrawals[event.key, default: 0] += 1
        }
        return result.sorted {
            ($0.event.decidedAt, $0.event.region, $0.event.tag)
                < ($1.event.decidedAt, $1.event.region, $1.event.tag)
        }
    }

    private func publication(of event: RegionEvent, isWithdrawn: Bool = false) -> Publication {
        Publication(
            event: event, isWithdrawn: isWithdrawn, revision: withdrawals[event.key] ?? 0)
    }

    /// The events beyond the final fold; `nil` while the live one lacks a message, or has not folded all.
    private var liveEvents: [RegionEvent]? {
        let seconds = folds.present.seconds
        return seconds.isOutdated || seconds.isBehind ? nil : folds.live
    }

    // MARK: The present

    /// Each region by present knowledge.
    package var now: [RegionNow] { folds.present.now(subjects) }

    /// The regions that have a beacon, and why.
    package func presences(of tag: Tag) -> [RegionBeacon] {
        folds.present.presences(of: tag)
    }

    /// Seconds of beacons that were left out, since too many were near a gateway.
    package var refusedBeaconSeconds: Int { folds.final.refused }

    /// Exits of beacons from gateways after which they came back within three minutes.
    package var flaps: Int { folds.final.flaps }
}
