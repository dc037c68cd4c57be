import Sightings

/// A batch with everything that its message needs.
///
/// After the first attempt to send it, it never changes. Before, it can be stamped again, merged, or declare a loss.
package struct StoredBatch: Equatable, Sendable {
    package let origin: Origin
    package var batch: Batch
    /// Converts the batch's instants to wall time.
    package var stamp: Stamp
    /// The loss that the message declares.
    package var lost: Loss?

    package init(origin: Origin, batch: Batch, stamp: Stamp, lost: Loss? = nil) {
        self.origin = origin
        self.batch = batch
        self.stamp = stamp
        self.lost = lost
    }

    /// Replaces the stamp of an unset clock, if the clock is set now and has not been restarted since.
    ///
    /// - Parameter clock: the wall clock of `here`; `nil` if the source of the batches stamps them itself.
    mutating func restamp(_ clock: Stamp?, at here: Origin) {
        guard let clock, clock.clock == .synced, needsClock(at: here) else { return }
        stamp = clock
    }

    /// Whether a set clock of `here` would change the stamp.
    func needsClock(at here: Origin) -> Bool {
        stamp.clock == .unsynced && origin.sharesClock(with: here)
    }
}

/// The source of batches: one run of the agent, on one boot of its machine, as one gateway.
package struct Origin: Hashable, Sendable {
    /// The session that numbers the batches.
    package let session: String
    /// The boot whose clock counts the instants (`/proc/sys/kernel/random/boot_id`); empty if unknown.
    package let boot: String
    /// The start of the gateway's topics. A machine can become another gateway before the backlog is delivered.
    package let place: String

    package init(session: String, boot: String = "", place: String = "") {
        self.session = session
        self.boot = boot
        self.place = place
    }

    /// Whether both count instants on the same clock.
    package func sharesClock(with other: Origin) -> Bool {
        session == other.session || (!boot.isEmpty && boot == other.boot)
    }
}
