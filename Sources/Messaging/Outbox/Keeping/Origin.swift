/// Where batches come from: one run of the agent, on one boot of its machine, in one place.
package struct Origin: Hashable, Sendable {
    /// The session that the batches are numbered in.
    package let session: String
    /// The boot whose clock their instants are of (`/proc/sys/kernel/random/boot_id`); empty where nobody knows.
    package let boot: String
    /// Whose batches they are, as its topics begin: a machine may become another gateway before all has been delivered.
    package let place: String

    package init(session: String, boot: String = "", place: String = "") {
        self.session = session
        self.boot = boot
        self.place = place
    }

    /// Whether instants of the other are on the same clock.
    package func sharesClock(with other: Origin) -> Bool {
        session == other.session || (!boot.isEmpty && boot == other.boot)
    }
}
