import Primitives
import Sightings

/// Calculates the age of stored batches.
struct BatchAge {
    let session: String
    /// The discovery of the batches of earlier sessions. A batch without a known age counts from here.
    let firstSeen: Instant?
    let now: Instant
    let clock: Stamp?

    /// The time since the end of the batch's window; `nil` if unknown. For a batch of another session, the wall clock
    /// decides, if it was set then and is set now.
    func known(_ header: BatchHeader) -> Duration? {
        if header.session == session { return now - header.interval.end }
        guard let clock, clock.clock == .synced, header.stamp.clock == .synced else { return nil }
        return clock.wall(of: now) - header.stamp.wall(of: header.interval.end)
    }

    /// The time since the discovery of earlier sessions' batches.
    var sinceFirstSeen: Duration { firstSeen.map { now - $0 } ?? .zero }

    /// `nil` if the age is unknown, and the batch was discovered recently.
    func isTooOld(_ header: BatchHeader, _ maxAge: Duration) -> Bool? {
        if let age = known(header) { return age > maxAge }
        return sinceFirstSeen > maxAge ? true : nil
    }

    /// The begin of the age of a loaded batch.
    func begin(_ stored: StoredBatch, at here: Origin) -> Instant {
        if stored.origin.sharesClock(with: here) { return stored.batch.interval.end }
        return now - max(.zero, known(BatchHeader(of: stored, isFinal: true)) ?? sinceFirstSeen)
    }
}
