import Contract
import JSON
import Posix

/// The retained message of a server's status topic, and its will.
struct ServerStatusMessage {
    let isOnline: Bool
    let session: Session
    /// `nil` in the will, which is written before it is known.
    let isDurable: Bool?
    var version = Version.current

    var encoded: [UInt8] {
        JSON.object([
            .init("v", 1), .init("state", isOnline ? "online" : "offline"),
            .init("version", .string(version)),
            .init("session", .string(session.description)),
            .init("durable", isDurable.map { .bool($0) } ?? .null),
        ]).bytes
    }
}
