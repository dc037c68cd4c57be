import Beacons
import Contract
import Primitives

extension WindowFact {
    /// Wider windows than an agent merges are faults.
    private static let widest = Duration.seconds(3600)

    /// More reports of a tag in one window are a fault.
    private static let mostReports = 1_000_000

    /// What a message says; `nil` if its times are impossible.
    ///
    /// - Parameters:
    ///   - layout: of the message's site.
    ///   - part: the part of its window that the fact is of, with the tags heard in it; the default is the whole window.
    ///   - tag: the pseudonym of a beacon; `nil` for beacons that are no visitors'.
    package init?(
        _ message: SightingsMessage, _ layout: SiteLayout, in part: Range<UnixTime>? = nil,
        tag: (BeaconIdentity) -> Tag?
    ) {
        guard message.windowStart >= 0, message.windowStart < message.windowEnd,
            message.windowEnd <= .endOf9999,
            message.windowEnd - message.windowStart <= Self.widest
        else { return nil }
        let start = message.windowStart
        let window = start..<message.windowEnd
        let span = window.clamped(to: part ?? window)
        let last = (message.windowEnd - start).milliseconds - 1
        let readings = message.sightings.compactMap { sighting -> Reading? in
            // Offsets from the start in milliseconds, as the message has them.
            let first = min(max(0, sighting.firstSeen), last)
            let left = min(max(first, sighting.lastSeen), last)
            let seen = start + .milliseconds(first)...start + .milliseconds(left)
            guard !sighting.isEcho, let signal = sighting.signal, span.overlaps(seen),
                let tag = tag(sighting.identity)
            else { return nil }
            let centroid = min(max(first, signal.centroid), left)
            return Reading(
                tag: tag, power: signal.powerMean, count: min(sighting.count, Self.mostReports),
                seen: seen, centroid: start + .milliseconds(centroid), senders: sighting.senders)
        }
        self.init(
            session: message.session, numbers: message.seqs ?? message.seq...message.seq,
            parts: message.part?.of ?? 1,
            span: span, state: message.state,
            isSynced: message.clock == .synced || layout.acceptsUnsyncedClocks, lost: message.lost,
            readings: readings)
    }
}
