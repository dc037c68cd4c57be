import Primitives

/// The protocol version for the next connection to one broker, chosen by the results so far.
///
/// With the choice `automatic` it is MQTT 5. It falls back to 3.1.1 if the broker refuses MQTT 5, answers with bytes that are
/// no MQTT 5, or closes two connections in a row without an answer. After `Reconnect.version5Pause` it returns to MQTT 5.
struct NegotiatedVersion: Sendable {
    /// The version for the next attempt.
    private(set) var version: ProtocolVersion
    private let choice: Reconnect.Choice
    private var unanswered = 0
    private var fellBackAt: Instant?

    init(_ choice: Reconnect.Choice) {
        self.choice = choice
        version = if case .fixed(let version) = choice { version } else { .v5 }
    }

    /// The broker accepts the connection.
    mutating func connected() { unanswered = 0 }

    /// The connection ends, or an attempt fails.
    ///
    /// - Returns: whether only the version is wrong, so that an attempt with the other one needs no wait.
    mutating func ended(
        _ cause: ConnectionFailure.Cause, wasConnected: Bool, at now: Instant
    ) -> Bool {
        guard choice == .automatic else { return false }
        switch version {
        case .v5:
            // libmosquitto 2.0.21 can't read the refusal of a broker that speaks only 3.1.1.
            let isOlder =
                cause == .refused(.unsupportedProtocolVersion)
                || (cause == .protocolViolation && !wasConnected)
            if isOlder {
                fallBack(at: now)
                return true
            }
            unanswered = cause == .closedUnanswered ? unanswered + 1 : 0
            if unanswered >= Reconnect.unansweredUntilFallback { fallBack(at: now) }
        case .v311:
            let isPauseOver = fellBackAt.map { now - $0 >= Reconnect.version5Pause } ?? true
            // The broker refuses 3.1.1 as well: the version is not the cause, or another broker has this address now.
            let isRefused =
                !wasConnected
                && [
                    .closedUnanswered, .protocolViolation, .refused(.unsupportedProtocolVersion),
                ].contains(cause)
            if isPauseOver || isRefused { returnToVersion5() }
        }
        return false
    }

    private mutating func fallBack(at now: Instant) {
        version = .v311
        fellBackAt = now
        unanswered = 0
    }

    private mutating func returnToVersion5() {
        version = .v5
        fellBackAt = nil
        unanswered = 0
    }
}
