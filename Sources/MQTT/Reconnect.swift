import Posix

/// When to connect next, and in which version of the protocol.
///
/// Asked for `automatic`, it speaks MQTT 5, and 3.1.1 with a broker that does not: one that says so, that answers
/// what is no MQTT 5, or that closes the connection before any answer twice running. After `version5Pause` it tries 5 again.
package struct Reconnect: Sendable {
    /// Which version the operator wants.
    package enum Choice: Equatable, Sendable {
        case automatic
        case fixed(ProtocolVersion)
    }

    /// A connection that stood so long, in microseconds, was a good one: the waits begin anew.
    package static let stableTime: Int64 = 10_000_000
    /// How long a broker is believed not to speak MQTT 5, in microseconds.
    package static let version5Pause: Int64 = 3_600_000_000
    /// Connections closed without an answer, after which 3.1.1 is tried.
    package static let unansweredUntilFallback = 2

    /// The version for the next attempt.
    package private(set) var version: ProtocolVersion
    private let choice: Choice
    private var backoff: Backoff
    private var unanswered = 0
    private var fellBackAt: Int64?
    private var connectedAt: Int64?

    package init(_ choice: Choice, backoff: Backoff = Backoff()) {
        self.choice = choice
        self.backoff = backoff
        version = if case .fixed(let version) = choice { version } else { .v5 }
    }

    /// The broker let us in; `now` in microseconds on a clock that never steps.
    package mutating func connected(at now: Int64) {
        connectedAt = now
        unanswered = 0
    }

    /// The connection ended, or did not come about; `random` is any number, evenly distributed.
    ///
    /// - Returns: how long to wait before the next attempt, in microseconds.
    package mutating func ended(
        _ cause: ConnectionFailure.Cause, at now: Int64, random: UInt64
    ) -> Int64 {
        if let connectedAt, now - connectedAt >= Self.stableTime { backoff.reset() }
        let wasConnected = connectedAt != nil
        connectedAt = nil
        guard choice == .automatic else { return backoff.next(random: random) }
        switch version {
        case .v5:
            // Libmosquitto 2.0.21 can't read a refusal in the words of 3.1.1.
            let isOlder =
                cause == .refused(.unsupportedProtocolVersion)
                || (cause == .protocolViolation && !wasConnected)
            if isOlder {
                // Nothing is wrong with the broker: the other version at once.
                fallBack(at: now)
                return 0
            }
            unanswered = cause == .closedUnanswered ? unanswered + 1 : 0
            if unanswered >= Self.unansweredUntilFallback { fallBack(at: now) }
        case .v311:
            let hasBeenLong = fellBackAt.map { now - $0 >= Self.version5Pause } ?? true
            // Not let in either: the version was not what the broker disliked, or it is another broker now.
            let wasNoHelp =
                !wasConnected
                && [
                    .closedUnanswered, .protocolViolation, .refused(.unsupportedProtocolVersion),
                ].contains(cause)
            if hasBeenLong || wasNoHelp { returnToVersion5() }
        }
        return backoff.next(random: random)
    }

    private mutating func fallBack(at now: Int64) {
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
