import MQTT
import Posix
import TestSupport

/// Serves a connection, and waits for its events.
final class ConnectionDriver {
    let connection: Connection
    private(set) var events: [ConnectionEvent] = []

    init(_ connection: Connection) {
        BrokenPipes.ignore()
        self.connection = connection
    }

    /// Connects, and waits until the broker accepts the connection.
    convenience init(
        to settings: ConnectionSettings, version: ProtocolVersion = .v5, will: Will? = nil
    ) throws {
        self.init(try Connection(to: settings, version: version, will: will))
        try wait(for: "connected") { if case .connected = $0 { true } else { nil } }
    }

    /// Serves the connection until an earlier or new event gives a result.
    @discardableResult
    func wait<Result>(
        for what: String, within seconds: Double = Deadline.limit,
        _ matches: (ConnectionEvent) -> Result?
    ) throws -> Result {
        let deadline = Deadline(in: seconds)
        var looked = 0
        while true {
            while looked < events.count {
                if let result = matches(events[looked]) { return result }
                looked += 1
            }
            guard !deadline.hasPassed else {
                throw TestFailure("not \(what) in time: \(events)")
            }
            var ready: Poll.Events = []
            if let interest = connection.interest {
                ready = try Poll.wait(for: [interest], timeout: min(200, deadline.milliseconds))[0]
            }
            events += connection.service(ready)
        }
    }

    /// Waits for the end of the connection, and returns its cause.
    func end(within seconds: Double = Deadline.limit) throws -> ConnectionFailure {
        try wait(for: "ended", within: seconds) {
            if case .ended(let failure) = $0 { failure } else { nil }
        }
    }

    /// Waits for the broker's answer to a publication.
    func answer(to token: UInt64) throws -> ReasonCode {
        try wait(for: "answered \(token)") {
            if case .acknowledged(token, let code) = $0 { code } else { nil }
        }
    }

    /// Waits for a message on a topic.
    func message(on topic: String) throws -> Message {
        try wait(for: "message on \(topic)") {
            if case .message(let message) = $0, message.topic == topic { message } else { nil }
        }
    }
}

/// Connects, and returns the failure; `nil` for a success.
func failure(
    of settings: ConnectionSettings, version: ProtocolVersion = .v5,
    within seconds: Double = Deadline.limit
) throws -> ConnectionFailure? {
    BrokenPipes.ignore()
    let connection: Connection
    do { connection = try Connection(to: settings, version: version) } catch { return error }
    return try ConnectionDriver(connection).wait(for: "connected or ended", within: seconds) {
        event in
        switch event {
        case .connected: Optional<ConnectionFailure>.none
        case .ended(let failure): failure
        default: Optional<ConnectionFailure?>.none
        }
    }
}

extension Broker {
    /// The connection settings; `localhost` and `127.0.0.1` are in the certificates of the tests.
    func settings(tls: TLSSettings? = nil) -> ConnectionSettings {
        ConnectionSettings(host: "127.0.0.1", port: port, tls: tls, clientID: "tester")
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
