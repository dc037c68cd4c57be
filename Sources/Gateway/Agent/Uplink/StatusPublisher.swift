import Contract
import MQTT
import Outbox
import Primitives
import Sightings

/// Publishes the gateway's status: online or degraded after each connection and after each change, offline at the end.
struct StatusPublisher {
    /// The state in the latest status message of this connection.
    private enum Published: Equatable {
        case nothing
        case online(StatusMessage.State, ClockState)
        case offline
    }

    let topic: String
    private let session: String
    private let version: String
    /// A capture publishes no status: its gateway may be online.
    private let isSilent: Bool
    private var published = Published.nothing
    /// When the latest status was written; `nil` if the clock was not synchronised.
    private(set) var writtenAt: UnixTime?

    init(topic: String, session: String, version: String, isSilent: Bool = false) {
        self.topic = topic
        self.session = session
        self.version = version
        self.isSilent = isSilent
    }

    /// Whether this connection has published `offline`. Nothing may follow it.
    var isOffline: Bool { published == .offline }

    /// The broker publishes this message if the connection breaks.
    func will(at time: WallTime) -> Will? {
        isSilent ? nil : Will(topic: topic, payload: payload(.offline, time))
    }

    /// A new connection: the broker does not have this session's status yet.
    mutating func connected() { published = .nothing }

    /// The broker has not got the latest status: it is published again.
    mutating func refused() { if !isOffline { published = .nothing } }

    /// A message arrives on our status topic. A late will of an earlier connection replaces our status at the broker.
    mutating func received(_ message: Message) {
        // A retained message is from before our subscription, and our status follows it.
        guard !message.isRetained, case .online = published,
            let status = try? StatusMessage(decoding: message.payload), status.state == .offline
        else { return }
        published = .nothing
    }

    /// The status message, or `nil` if the broker already has this state.
    mutating func update(_ state: StatusMessage.State, at time: WallTime) -> Outgoing? {
        guard !isSilent, published != .online(state, time.clock) else { return nil }
        published = .online(state, time.clock)
        return message(state, time)
    }

    /// The last message of a connection.
    mutating func goOffline(at time: WallTime) -> Outgoing? {
        published = .offline
        return isSilent ? nil : message(.offline, time)
    }

    private mutating func message(_ state: StatusMessage.State, _ time: WallTime) -> Outgoing {
        writtenAt = time.synchronised
        return Outgoing(.status, payload(state, time), to: topic, isRetained: true)
    }

    private func payload(_ state: StatusMessage.State, _ time: WallTime) -> [UInt8] {
        StatusMessage(
            state: state, session: session, at: time.time, version: version,
            clock: time.clock
        ).encoded
    }
}

/// What a publication contains. The broker's answer to a publication is matched by this identity.
enum PublicationID: Hashable, Sendable {
    case status
    case health
    /// The document `config/reported`.
    case reported
    /// The states of the tracked beacons for Home Assistant.
    case trackers
    /// The discovery document for Home Assistant.
    case discovery
    case batch(Entry.ID)
}

/// A message to publish, and its identity.
struct Outgoing: Equatable, Sendable {
    let id: PublicationID
    let message: Publication

    /// A JSON message.
    ///
    /// - Parameter payload: JSON text; empty to delete a retained message.
    init(
        _ id: PublicationID, _ payload: [UInt8], to topic: String,
        quality: QualityOfService = .atLeastOnce, isRetained: Bool = false
    ) {
        self.id = id
        message = Publication(
            topic: topic, payload: payload, quality: quality, isRetained: isRetained,
            contentType: "application/json")
    }
}
