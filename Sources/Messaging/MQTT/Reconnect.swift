import Posix

/// When to connect next, to which of some brokers, and in which version of the protocol.
///
/// Brokers are tried in order. A round goes through all of them without a pause; the waiting is between rounds. After
/// a connection that stood, the next round begins with the first broker.
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
    /// How long who was thrown out by another client of the same name stays away, in microseconds, a quarter more or
    /// less: to come back at once would throw that one out, and so on without an end.
    package static let takeoverPause: Int64 = 300_000_000

    /// The broker of the next attempt, or of the connection that there is: 0 for the first.
    package private(set) var broker = 0
    private var versions: [SpokenVersion]
    private var backoff: Backoff
    private let takeoverPause: Int64
    private var connectedAt: Int64?

    /// - Parameters:
    ///   - choice: what to speak with the first broker.
    ///   - alternatives: what to speak with those behind it, in their order.
    package init(
        _ choice: Choice, alternatives: [Choice] = [], backoff: Backoff = Backoff(),
        takeoverPause: Int64 = Self.takeoverPause
    ) {
        versions = [SpokenVersion(choice)] + alternatives.map(SpokenVersion.init)
        self.backoff = backoff
        self.takeoverPause = max(0, min(takeoverPause, Self.version5Pause))
    }

    /// The version for the next attempt.
    package var version: ProtocolVersion { versions[broker].version }

    /// The broker let us in; `now` in microseconds on a clock that never steps.
    package mutating func connected(at now: Int64) {
        connectedAt = now
        versions[broker].connected()
    }

    /// The connection ended, or did not come about; `random` is any number, evenly distributed.
    ///
    /// - Returns: how long to wait before the next attempt, in microseconds.
    package mutating func ended(
        _ cause: ConnectionFailure.Cause, at now: Int64, random: UInt64
    ) -> Int64 {
        let hasStood = connectedAt.map { now - $0 >= Self.stableTime } ?? false
        let wasConnected = connectedAt != nil
        connectedAt = nil
        if hasStood { backoff.reset() }
        if versions[broker].ended(cause, wasConnected: wasConnected, at: now) { return 0 }
        if case .takenOver = cause {
            broker = 0
            let jitter = random.multipliedFullWidth(by: UInt64(takeoverPause / 2) + 1).high
            return takeoverPause - takeoverPause / 4 + Int64(jitter)
        }
        // A broker that lets everybody in and throws them out at once is as good as none.
        if !hasStood, broker + 1 < versions.count {
            broker += 1
            return 0
        }
        broker = 0
        return backoff.next(random: random)
    }
}
