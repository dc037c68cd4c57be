import Posix

/// One connection to a broker, from the attempt to the end. It never reconnects.
///
/// It belongs to one thread. Its owner polls `interest`, and calls `service` after each poll, at least once in
/// `Connection.serviceInterval`. `service` returns all events; the end is the last one. The process must ignore SIGPIPE
/// (`Signals`).
package protocol BrokerConnection: AnyObject {
    /// The descriptor to poll; `nil` if `service` is due, or after the end.
    var interest: Poll.Interest? { get }

    /// Messages whose acknowledgement is held back; none without `DurableReading`.
    var unstored: Int { get }

    /// Whether no message follows before `acknowledge`.
    var awaitsAcknowledgement: Bool { get }

    /// Whether the broker has accepted the connection, and it has not ended.
    var isConnected: Bool { get }

    /// Whether packets wait for the socket.
    var isWriting: Bool { get }

    /// Publications that the broker has not answered yet.
    var unacknowledged: Int { get }

    /// After the end: the packets that the broker has not answered, in the order of sending.
    var unanswered: [UnansweredPacket] { get }

    /// Reads and writes what is due.
    ///
    /// - Parameter ready: the poll's result for `interest`; empty after a time-out.
    func service(_ ready: Poll.Events) -> [ConnectionEvent]

    /// Sends a message. The acknowledgement of a QoS 1 message returns `token`, and so may the refusal of any message.
    ///
    /// - Throws: `PublishFailure`; the message was not sent.
    func publish(_ message: Publication, token: UInt64?) throws(PublishFailure)

    /// Subscribes to topic filters (`+` and `#` are wildcards). The broker answers each with an event.
    ///
    /// - Parameter quality: the highest quality of service for the delivery.
    func subscribe(to filters: [String], quality: QualityOfService) throws(PublishFailure)

    /// Ends subscriptions.
    func unsubscribe(from filters: [String]) throws(PublishFailure)

    /// Acknowledges all messages that `service` has returned: their reader has stored them.
    func acknowledge()

    /// Disconnects, so that the broker does not publish the will. `service` then returns `ended`.
    ///
    /// Behind held acknowledgements DISCONNECT would send them as well: the connection then ends without it.
    func disconnect()

    /// Disconnects, and returns when the system has what was sent. The connection is of no use any more.
    func leave()
}

extension ConnectionSettings {
    /// Starts to connect, in this process or in one of its own.
    ///
    /// - Throws: an immediate failure; `isConfiguration` if the settings can't work.
    package func connect(
        _ version: ProtocolVersion, will: Will? = nil
    ) throws(ConnectionFailure) -> any BrokerConnection {
        if isIsolated { return try IsolatedConnection(to: self, version: version, will: will) }
        return try Connection(to: self, version: version, will: will)
    }
}

/// An event of a connection.
package enum ConnectionEvent: Equatable, Sendable {
    /// The broker accepts the connection: publications and subscriptions are possible.
    case connected(BrokerAbilities)
    /// The broker answers the publication with this token: success or a refusal (PUBACK).
    case acknowledged(token: UInt64?, ReasonCode)
    /// The broker answers a subscription: success or a refusal (SUBACK).
    case subscribed(filter: String, ReasonCode)
    case message(Message)
    /// A message exceeds the limit of the settings and is discarded.
    case oversized(topic: String, bytes: Int)
    /// The connection is over. This is the last event; unanswered publications get no answer.
    case ended(ConnectionFailure)
}
