/// Which version of the protocol to speak with one broker, by what has come of it so far.
///
/// Asked for `automatic`, it speaks MQTT 5, and 3.1.1 with a broker that does not: one that says so, that answers
/// what is no MQTT 5, or that closes the connection before any answer twice running. After `Reconnect.version5Pause` it
/// tries 5 again.
struct SpokenVersion: Sendable {
    /// The version for the next attempt.
    private(set) var version: ProtocolVersion
    private let choice: Reconnect.Choice
    private var unanswered = 0
    private var fellBackAt: Int64?

    init(_ choice: Reconnect.Choice) {
        self.choice = choice
        version = if case .fixed(let version) = choice { version } else { .v5 }
    }

    /// The broker let us in.
    mutating func connected() { unanswered = 0 }

    /// The connection ended, or did not come about, at `now` in microseconds.
    ///
    /// - Returns: whether nothing is wrong with the broker but the version, so that the other one is worth an attempt
    ///   at once.
    mutating func ended(
        _ cause: ConnectionFailure.Cause, wasConnected: Bool, at now: Int64
    ) -> Bool {
        guard choice == .automatic else { return false }
        switch version {
        case .v5:
            // Libmosquitto 2.0.21 can't read a refusal in the words of 3.1.1.
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
            let hasBeenLong = fellBackAt.map { now - $0 >= Reconnect.version5Pause } ?? true
            // Not let in either: the version was not what the broker disliked, or it is another broker now.
            let wasNoHelp =
                !wasConnected
                && [
                    .closedUnanswered, .protocolViolation, .refused(.unsupportedProtocolVersion),
                ].contains(cause)
            if hasBeenLong || wasNoHelp { returnToVersion5() }
        }
        return false
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
