import MQTT
import Primitives

/// Why a broker may not support MQTT 5.
package enum VersionDoubt: String, Equatable, Sendable, CustomStringConvertible {
    case refused = "the broker refuses MQTT 5"
    case closed = "the broker closed the connection without an answer"
    case silent = "the broker does not answer CONNECT"

    package var description: String { rawValue }

    /// `nil` if the version is not the cause of a failed attempt.
    fileprivate init?(_ cause: ConnectionFailure.Cause) {
        switch cause {
        // libmosquitto 2.0.21 can't read the refusal of a broker that speaks only 3.1.1.
        case .refused(.unsupportedProtocolVersion), .protocolViolation: self = .refused
        case .closedUnanswered: self = .closed
        case .connectUnanswered: self = .silent
        default: return nil
        }
    }
}

/// The protocol version for the next connection to one broker, chosen by the results so far.
///
/// With the choice `automatic`, a broker gets MQTT 5 until it refuses it, or leaves several CONNECTs in a row unanswered. Then
/// it gets 3.1.1. What it accepts, and a refusal of MQTT 5, counts for a day.
struct NegotiatedVersion: Sendable {
    /// What the broker supports.
    private struct Knowledge {
        let version: ProtocolVersion
        let end: Instant

        init(_ version: ProtocolVersion, at now: Instant) {
            self.version = version
            end = now + .seconds(86400)
        }
    }

    /// The version for the next attempt.
    private(set) var version: ProtocolVersion
    /// Why the latest attempt failed, if that is a step of the choice, and no failure of the broker.
    private(set) var doubt: VersionDoubt?
    private let choice: Reconnect.Choice
    /// The unanswered attempts in a row after which the other version is tried.
    private let patience: Int
    private var knowledge: Knowledge?
    private var unanswered = 0
    /// Whether the broker has failed with both versions since its last connection.
    private var isFutile = false

    /// The time for CONNACK while it is not known which version the broker supports.
    private static let answerLimit = Duration.seconds(4)

    init(_ choice: Reconnect.Choice, patience: Int) {
        self.choice = choice
        self.patience = patience
        version = if case .fixed(let version) = choice { version } else { .v5 }
    }

    /// Takes over what another configuration has found out about the same broker.
    mutating func inherit(from other: NegotiatedVersion, at now: Instant) {
        guard choice == .automatic, other.choice == .automatic else { return }
        knowledge = other.knowledge
        version = usual(at: now)
    }

    /// The time for CONNACK in the next attempt; `nil` for that of the settings.
    func answerLimit(at now: Instant) -> Duration? {
        choice == .automatic && version == .v5 && known(at: now) == nil ? Self.answerLimit : nil
    }

    /// The broker accepts the connection.
    mutating func connected(at now: Instant) {
        unanswered = 0
        isFutile = false
        // A broker that supports both versions may have been silent for another reason.
        if version == .v5 || known(at: now) == nil { knowledge = Knowledge(version, at: now) }
    }

    /// The connection ends, or an attempt fails.
    ///
    /// - Returns: whether an attempt with the other version follows without a wait.
    mutating func ended(
        _ cause: ConnectionFailure.Cause, wasConnected: Bool, at now: Instant
    ) -> Bool {
        doubt = nil
        guard choice == .automatic else { return false }
        if wasConnected, version == .v5 { knowledge = Knowledge(.v5, at: now) }
        guard !wasConnected, let reason = VersionDoubt(cause) else {
            unanswered = 0
            version = usual(at: now)
            return false
        }
        if version == .v5, !isFutile, reason == .refused || known(at: now) == nil {
            doubt = reason
        }
        return reason == .refused ? refused(at: now) : leftUnanswered(at: now)
    }

    private mutating func refused(at now: Instant) -> Bool {
        unanswered = 0
        let isOlder = version == .v5
        isFutile = isFutile || !isOlder
        // If the broker refuses both, the version is not the cause, or another broker has this address now.
        knowledge = isOlder ? Knowledge(.v311, at: now) : nil
        version = usual(at: now)
        return isOlder
    }

    private mutating func leftUnanswered(at now: Instant) -> Bool {
        let usual = usual(at: now)
        guard version == usual else {
            isFutile = true
            unanswered = 0
            version = usual
            return false
        }
        unanswered += 1
        guard unanswered >= patience else { return false }
        unanswered = 0
        version = usual == .v5 ? .v311 : .v5
        return true
    }

    private func known(at now: Instant) -> ProtocolVersion? {
        knowledge.flatMap { now < $0.end ? $0.version : nil }
    }

    /// The version of an attempt that no failure precedes.
    private func usual(at now: Instant) -> ProtocolVersion { known(at: now) ?? .v5 }
}
