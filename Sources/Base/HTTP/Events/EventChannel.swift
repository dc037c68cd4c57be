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

    /// Sends an event to all clients. `HTTPServer.service`, which is due from now on, delivers it.
    ///
    /// - Parameter topic: the subject that a stream can select; `nil` is for all streams.
    /// - Parameter scope: what a client must be allowed to get it.
    /// - Parameter reduced: the data that clients below the scope get instead.
    package func publish(
        _ name: String, _ data: [UInt8], topic: String? = nil, scope: Scope = .public,
        reduced: [UInt8]? = nil
    ) {
        ring.append(name, data, topic: topic, scope: scope, reduced: reduced)
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
    /// The first bytes: the snapshot, or an empty line for a client that resumes.
    let opening: [UInt8]
    /// The number of the first event after it.
    let position: UInt64
    /// The topics that it has; `nil` for all.
    private let topics: Set<String>?
    private let scope: Scope

    /// The pause before a client connects again: after the end of a stream, and where there are no more places for streams.
    static let pause = Duration.milliseconds(500)
    static let pauseBetweenBriefOnes = Duration.seconds(10)

    /// Goes on where the request's `Last-Event-ID` says, or starts with an event `snapshot`.
    ///
    /// - Parameter snapshot: the data of that event: everything up to and including the channel's latest event.
    /// - Parameter topics: events of other topics are left out; `nil` leaves none out.
    package init(
        of channel: EventChannel, for request: Request, topics: Set<String>? = nil,
        snapshot: () -> [UInt8]
    ) {
        self.channel = channel
        self.topics = topics
        scope = request.scope ?? .public
        if let seen = request.headers["last-event-id"],
            let position = channel.ring.position(after: seen)
        {
            self.position = position
            opening = Array("\n".utf8)
        } else {
            position = channel.ring.next
            opening = EventRing.encode(id: channel.latestID, "snapshot", snapshot())
        }
    }
    /// What its client gets of an event; `nil` for nothing.
    func bytes(of event: EventRing.Entry) -> [UInt8]? {
        if let topics, let topic = event.topic, !topics.contains(topic) { return nil }
        return event.bytes(for: scope)
    }
}
