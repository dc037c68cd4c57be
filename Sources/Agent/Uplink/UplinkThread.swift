import Beacons
import Posix
import Sightings

/// The uplink as the radio thread sees it: a mailbox to post to, one with its orders and one with the beacons that must be heard, and one in which its end is told.
package final class UplinkThread {
    /// How the uplink's thread ended.
    package typealias End = Result<Void, Errno>

    private let outgoing: Mailbox<UplinkMessage>
    private let incoming: Mailbox<ApplyRequest>
    private let references: Mailbox<[BeaconIdentity]>
    private let ended: Mailbox<End>

    /// Batches between the threads; the uplink empties the box at once unless it is resolving a name.
    private static let capacity = 4096
    /// The next order comes when the one before was answered.
    private static let orders = 4
    /// As often as the local file may change while the radio thread does not look.
    private static let reloads = 16

    /// Starts the thread.
    package init(_ settings: Uplink.Settings, log: Log) throws(Errno) {
        let outgoing = try Mailbox<UplinkMessage>(capacity: Self.capacity)
        let incoming = try Mailbox<ApplyRequest>(capacity: Self.orders)
        let references = try Mailbox<[BeaconIdentity]>(capacity: Self.reloads)
        let ended = try Mailbox<End>(capacity: 1)
        self.outgoing = outgoing
        self.incoming = incoming
        self.references = references
        self.ended = ended
        let thread = try Thread(name: "uplink") {
            do throws(Errno) {
                try Uplink(
                    settings, mailbox: outgoing, orders: incoming, references: references, log: log
                ).run()
                ended.post(.success(()))
            } catch {
                ended.post(.failure(error))
            }
        }
        // Its end is told by the mailbox: nobody joins it, so that a second signal need not wait.
        thread.detach()
    }

    /// Readable once the thread has ended.
    package var descriptor: CInt { ended.descriptor }

    /// Readable while there are orders, or others to be heard always.
    package var wishDescriptors: [CInt] { [incoming.descriptor, references.descriptor] }

    /// What the radio is to bring into force, oldest first.
    package func takeOrders() -> [ApplyRequest] { incoming.take() }

    /// The beacons that must always be heard from now on, if they have changed.
    package func takeReferences() -> [BeaconIdentity]? { references.take().last }

    /// How the thread ended; `nil` while it runs.
    package var end: End? { ended.take().first }

    /// Tells the uplink; a batch that finds the box full is missed by its number, and declared lost.
    ///
    /// - Returns: whether there was room.
    @discardableResult
    package func post(_ message: UplinkMessage) -> Bool { outgoing.post(message) }
}
