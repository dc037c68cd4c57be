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
