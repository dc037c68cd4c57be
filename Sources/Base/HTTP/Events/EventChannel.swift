/// Events for any number of clients: its owner publishes, `EventStream` responses deliver.
///
/// The ring is also each client's queue. A client that is still behind its oldest event when the next one comes is too
/// slow and is disconnected.
package final class EventChannel {
    private(set) var ring: EventRing
    /// Clients that have everything.
    private var waiting: [StreamReader] = []

    package init(_ ring: EventRing) { self.ring = ring }

    package var latestID: String { ring.latestID }

    /// Sends an event to all clients. The server's descriptor becomes ready; `HTTPServer.service` then delivers it.
    package func publish(_ name: String, _ data: [UInt8]) {
        ring.append(name, data)
        let readers = waiting
        waiting.removeAll(keepingCapacity: true)
        for reader in readers { reader.wake() }
    }

    func wait(_ reader: StreamReader) { waiting.append(reader) }

    func stopWaiting(_ reader: StreamReader) { waiting.removeAll { $0 === reader } }
}

/// A response of server-sent events.
package struct EventStream {
    let channel: EventChannel
    /// What comes first: the snapshot, unless the client resumes.
    let opening: [UInt8]
    /// The number of the first event after it.
    let position: UInt64

    /// The pause before a client connects again, in milliseconds.
    private static let retry = 2000

    /// Goes on where the request's `Last-Event-ID` says, or starts with an event `snapshot`.
    ///
    /// - Parameter snapshot: the data of that event: everything up to and including the channel's latest event.
    package init(of channel: EventChannel, for request: Request, snapshot: () -> [UInt8]) {
        self.channel = channel
        let retry = Array("retry: \(Self.retry)\n".utf8)
        if let seen = request.headers["last-event-id"],
            let position = channel.ring.position(after: seen)
        {
            self.position = position
            opening = retry + Array("\n".utf8)
        } else {
            position = channel.ring.next
            opening =
                retry + EventRing.encode(id: channel.latestID, "snapshot", snapshot())
        }
    }
}
