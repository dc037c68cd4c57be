import Beacons
import Posix
import Sightings

/// The uplink's thread, as the radio thread sees it.
package final class UplinkThread {
    /// How the uplink's thread ended.
    package typealias End = Result<Void, Errno>

    private let mailboxes: UplinkMailboxes
    private let ended: Mailbox<End>

    /// Starts the thread.
    package init(_ settings: Uplink.Settings, log: Log) throws(Errno) {
        let mailboxes = try UplinkMailboxes()
        let ended = try Mailbox<End>(capacity: 1)
        self.mailboxes = mailboxes
        self.ended = ended
        let thread = try Thread(name: "uplink") {
            do throws(Errno) {
                try Uplink(settings, mailboxes: mailboxes, log: log).run()
                ended.post(.success(()))
            } catch {
                ended.post(.failure(error))
            }
        }
        // The mailbox reports the end. Without a join, a second signal ends the process immediately.
        thread.detach()
    }

    /// Readable after the thread has ended.
    package var descriptor: CInt { ended.descriptor }

    /// Readable while there are orders or other reference beacons.
    package var orderDescriptors: [CInt] {
        [mailboxes.orders.descriptor, mailboxes.references.descriptor]
    }

    /// The settings that the radio thread must apply, oldest first.
    package func takeOrders() -> [ApplyRequest] { mailboxes.orders.take() }

    /// The reference beacons, if they have changed.
    package func takeReferences() -> [BeaconIdentity]? { mailboxes.references.take().last }

    /// How the thread ended; `nil` while it runs.
    package var end: End? { ended.take().first }

    /// Posts a message to the uplink. A batch that does not fit leaves a gap in the numbers, and is declared lost.
    ///
    /// - Returns: whether there was room.
    @discardableResult
    package func post(_ message: UplinkMessage) -> Bool { mailboxes.messages.post(message) }
}
