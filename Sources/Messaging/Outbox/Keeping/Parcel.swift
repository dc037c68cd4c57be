import Sightings

/// A batch with all that its message is made of, as it is kept.
///
/// What was attempted once does not change any more; what was not may still be stamped anew, merged, or made to declare
/// a loss.
package struct Parcel: Equatable, Sendable {
    package let origin: Origin
    package var batch: Batch
    /// What wall time the batch is labelled with.
    package var stamp: Stamp
    /// To be declared in its message.
    package var lost: Loss?

    package init(origin: Origin, batch: Batch, stamp: Stamp, lost: Loss? = nil) {
        self.origin = origin
        self.batch = batch
        self.stamp = stamp
        self.lost = lost
    }

    /// Labels it anew when its clock was not to be trusted and the machine's now is, unless it comes from another boot.
    ///
    /// - Parameter clock: what instants of `here` lack to UTC; `nil` where that was settled at the source.
    mutating func restamp(_ clock: Stamp?, at here: Origin) {
        guard let clock, clock.clock == .synced, stamp.clock == .unsynced,
            origin.sharesClock(with: here)
        else { return }
        stamp = clock
    }
}
