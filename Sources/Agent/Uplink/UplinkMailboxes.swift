import Beacons
import Posix

/// The mailboxes between the radio thread and the uplink thread.
struct UplinkMailboxes: Sendable {
    /// To the uplink.
    let messages: Mailbox<UplinkMessage>
    /// To the radio thread: settings to apply.
    let orders: Mailbox<ApplyRequest>
    /// To the radio thread: the reference beacons after a change.
    let references: Mailbox<[BeaconIdentity]>

    /// The uplink empties this mailbox in each turn of its loop.
    private static let messageCapacity = 4096
    /// An order follows the answer to the order before.
    private static let orderCapacity = 4
    /// Reloads of the configuration while the radio thread is busy.
    private static let reloadCapacity = 16

    init() throws(Errno) {
        messages = try Mailbox(capacity: Self.messageCapacity)
        orders = try Mailbox(capacity: Self.orderCapacity)
        references = try Mailbox(capacity: Self.reloadCapacity)
    }
}
