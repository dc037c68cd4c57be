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
    ///   - tag: the pseudonym of a beacon; `nil` for beacons that are no visitors'.
    package init?(
        _ message: SightingsMessage, _ layout: SiteLayout, tag: (BeaconIdentity) -> Tag?
    ) {
        guard message.windowStart >= 0, message.windowStart < message.windowEnd,
            message.windowEnd <= .endOf9999,
            message.windowEnd - message.windowStart <= Self.widest
        else { return nil }
        let start = message.windowStart
        let last = (message.windowEnd - start).milliseconds - 1
        let readings = message.sightings.compactMap { sighting -> Reading? in
            guard !sighting.isEcho, let signal = sighting.signal, let tag = tag(sighting.identity)
            else { return nil }
            // Offsets from the start in milliseconds, as the message has them.
            let seen = min(max(0, sighting.firstSeen), last)
            let left = min(max(seen, sighting.lastSeen), last)
            let centroid = min(max(seen, signal.centroid), left)
            return Reading(
                tag: tag, power: signal.powerMean, count: min(sighting.count, Self.mostReports),
                seen: start + .milliseconds(seen)...start + .milliseconds(left),
                centroid: start + .milliseconds(centroid),
                senders: sighting.senders)
        }
        self.init(
            session: message.session, numbers: message.seqs ?? message.seq...message.seq,
            parts: message.part?.of ?? 1,
            span: start..<message.windowEnd, state: message.state,
            isSynced: message.clock == .synced || layout.acceptsUnsyncedClocks, lost: message.lost,
            readings: readings)
    }
}
