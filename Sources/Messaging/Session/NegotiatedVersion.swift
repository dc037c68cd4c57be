import MQTT
import Primitives

/// The protocol version for the next connection to one broker, chosen by the results so far.
///
/// With the choice `automatic`, each new connection begins with MQTT 5. An attempt falls back to 3.1.1 if the broker refuses
/// MQTT 5, answers with bytes that are no MQTT 5, or closes all connections for `unansweredTime` without an answer.
struct NegotiatedVersion: Sendable {
    /// The version for the next attempt.
    private(set) var version: ProtocolVersion
    private let choice: Reconnect.Choice
    private let unansweredTime: Duration
    /// The first of the connections in a row that the broker closed without an answer.
    private var unansweredSince: Instant?
    /// The broker has accepted 3.1.1, and not MQTT 5 since then.
    private var isKnownOlder = false

    init(_ choice: Reconnect.Choice, unansweredTime: Duration) {
        self.choice = choice
        self.unansweredTime = unansweredTime
        version = if case .fixed(let version) = choice { version } else { .v5 }
    }

    /// The broker accepts the connection.
    mutating func connected() {
        unansweredSince = nil
        isKnownOlder = version == .v311
    }

    /// The connection ends, or an attempt fails.
    ///
    /// - Returns: whether only the version is wrong, so that an attempt with the other one needs no wait.
    mutating func ended(
        _ cause: ConnectionFailure.Cause, wasConnected: Bool, at now: Instant
    ) -> Bool {
        guard choice == .automatic else { return false }
        // libmosquitto 2.0.21 can't read the refusal of a broker that speaks only 3.1.1.
        let isRefused =
            cause == .refused(.unsupportedProtocolVersion)
            || (cause == .protocolViolation && !wasConnected)
        let isUnanswered = cause == .closedUnanswered
        switch version {
        case .v5:
            if isRefused || isUnanswered && isKnownOlder {
                fallBack()
                return true
            }
            guard isUnanswered else {
                unansweredSince = nil
                return false
            }
            let since = unansweredSince ?? now
            unansweredSince = since
            if now - since >= unansweredTime { fallBack() }
        case .v311:
            // The broker refuses 3.1.1 as well: the version is not the cause, or another broker has this address now.
            if wasConnected || isRefused || isUnanswered { version = .v5 }
            if !wasConnected, isRefused || isUnanswered { isKnownOlder = false }
        }
        return false
    }

    private mutating func fallBack() {
        version = .v311
        unansweredSince = nil
    }
}
