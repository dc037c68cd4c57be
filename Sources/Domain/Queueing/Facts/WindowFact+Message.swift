import Beacons
import Contract

extension WindowFact {
    /// The latest time that is taken: 9999-12-31.
    private static let latest: Int64 = 253_402_300_799_999
    /// Wider windows than an agent merges are faults.
    private static let widest: Int64 = 3_600_000

    /// What a message says; `nil` if its times are impossible.
    ///
    /// - Parameters:
    ///   - layout: of the message's site.
    ///   - tag: the pseudonym of a beacon; `nil` for beacons that are no visitors'.
    package init?(
        _ message: SightingsMessage, _ layout: SiteLayout, tag: (BeaconIdentity) -> Tag?
    ) {
        let start = message.windowStart
        guard start >= 0, start < message.windowEnd, message.windowEnd <= Self.latest,
            message.windowEnd - start <= Self.widest
        else { return nil }
        let span = start..<message.windowEnd
        let readings = message.sightings.compactMap { sighting -> Reading? in
            guard !sighting.isEcho, let signal = sighting.signal, let tag = tag(sighting.identity)
            else { return nil }
            let first = min(max(0, sighting.firstSeen), message.windowEnd - start - 1)
            let last = min(max(first, sighting.lastSeen), message.windowEnd - start - 1)
            return Reading(
                tag: tag, power: signal.powerMean, count: min(sighting.count, 1_000_000),
                seen: start + first...start + last,
                centroid: start + min(max(first, signal.centroid), last),
                senders: sighting.senders)
        }
        self.init(
            session: message.session, numbers: message.seqs ?? message.seq...message.seq,
            parts: message.part?.of ?? 1, span: span, state: message.state,
            isSynced: message.clock == .synced || layout.acceptsUnsyncedClocks, lost: message.lost,
            readings: readings)
    }
}
