import Beacons
import Contract
import Primitives

extension WindowFact {
    /// Wider windows than an agent merges are faults.
    private static let widest = Duration.seconds(3600)

    /// What a message says; `nil` if its times are impossible.
    ///
    /// - Parameters:
    ///   - layout: of the message's site.
    ///   - tag: the pseudonym of a beacon; `nil` for beacons that are no visitors'.
    package init?(
        _ message: SightingsMessage, _ layout: SiteLayout, tag: (BeaconIdentity) -> Tag?
    ) {
        guard message.windowStart >= 0, message.windowStart < message.windowEnd,
            message.windowEnd <= .endOf9999,
            message.windowEnd - message.windowStart <= Self.widest
        else { return nil }
        let start = message.windowStart.milliseconds
        let span = start..<message.windowEnd.milliseconds
        let readings = message.sightings.compactMap { sighting -> Reading? in
            guard !sighting.isEcho, let signal = sighting.signal, let tag = tag(sighting.identity)
            else { return nil }
            let first = min(max(0, sighting.firstSeen), span.upperBound - start - 1)
            let last = min(max(first, sighting.lastSeen), span.upperBound - start - 1)
            return Reading(
                tag: tag, power: signal.powerMean, count: min(sighting.count, 1_000_000),
                seen: start + first...start + last,
                centroid: start + min(max(first, signal.centroid), last),
                senders: sighting.senders)
        }
        self.init(
            session: message.session, numbers: message.seqs ?? message.seq...message.seq,
            parts: message.part?.of ?? 1,
            span: message.windowStart..<message.windowEnd, state: message.state,
            isSynced: message.clock == .synced || layout.acceptsUnsyncedClocks, lost: message.lost,
            readings: readings)
    }
}
