import Agent
import Logging
import Outbox
import Posix
import Sightings
import TestSupport

/// The agent's uplink on a thread of the test's process, with the test in the place of the radio's process.
final class UplinkThread {
    typealias End = Result<Void, Errno>

    private var link: UplinkLink
    private let ended: Mailbox<End>
    private var orders: [ApplyRequest] = []

    init(_ settings: Uplink.Settings, log: Log) throws {
        link = UplinkLink(
            Origin(session: settings.session.description, place: settings.topics.place))
        let ended = try Mailbox<End>(capacity: 1)
        self.ended = ended
        let (ours, theirs) = try Sockets.pair()
        let thread = try Thread(name: "uplink") {
            do throws(Errno) {
                let port = UplinkPort(Descriptor(owning: theirs))
                try Uplink(settings, port: port, log: log).run()
                ended.post(.success(()))
            } catch {
                ended.post(.failure(error))
            }
        }
        thread.detach()
        link.begin(Descriptor(owning: ours))
    }

    /// Readable after the thread has ended.
    var descriptor: CInt { ended.descriptor }

    /// How the thread ended; `nil` while it runs.
    var end: End? { ended.take().first }

    /// The settings that the radio must apply.
    func takeOrders() -> [ApplyRequest] {
        read()
        defer { orders = [] }
        return orders
    }

    @discardableResult
    func post(_ batch: Batch, _ stamp: Stamp) -> Bool {
        read()
        return link.post(batch, stamp)
    }

    @discardableResult
    func post(_ message: UplinkMessage) -> Bool {
        read()
        return link.post(message)
    }

    /// Reads what the uplink sends, and sends what its socket takes.
    func read() {
        for case .order(let request) in (try? link.receive()) ?? [] { orders.append(request) }
    }
}
