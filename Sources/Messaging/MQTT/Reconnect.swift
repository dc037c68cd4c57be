import Posix
import Primitives

/// When to connect next, to which of several brokers, and in which protocol version.
///
/// The brokers are tried in order. A round tries each of them without a pause; the wait is between rounds. After a stable
/// connection, the next round begins with the first broker.
package struct Reconnect: Sendable {
    /// The configured protocol version.
    package enum Choice: Equatable, Sendable {
        case automatic
        case fixed(ProtocolVersion)
    }

    /// A connection of this length is stable: it resets the waits.
    package static let stableTime = Duration.seconds(10)
    /// The time before MQTT 5 is tried again with a broker that did not speak it.
    package static let version5Pause = Duration.seconds(3600)
    /// After this many connections that the broker closes without an answer, 3.1.1 is tried.
    package static let unansweredUntilFallback = 2
    /// The wait after another client with our identifier took over the connection, a quarter more or less. Without a wait,
    /// the two clients would disconnect each other without end.
    package static let takeoverPause = Duration.seconds(300)

    /// The index of the broker for the next attempt, or of the connected one.
    package private(set) var broker = 0
    private var versions: [NegotiatedVersion]
    private var backoff: Backoff
    private let takeoverPause: Duration
    private var connectedAt: Instant?

    /// - Parameters:
    ///   - choice: the version for the first broker.
    ///   - alternatives: the versions for the other brokers, in their order.
    package init(
        _ choice: Choice, alternatives: [Choice] = [], backoff: Backoff = Backoff(),
        takeoverPause: Duration = Self.takeoverPause
    ) {
        versions = [NegotiatedVersion(choice)] + alternatives.map(NegotiatedVersion.init)
        self.backoff = backoff
        self.takeoverPause = max(.zero, min(takeoverPause, Self.version5Pause))
    }

    /// The version for the next attempt.
    package var version: ProtocolVersion { versions[broker].version }

    /// The broker accepts the connection.
    package mutating func connected(at now: Instant) {
        connectedAt = now
        versions[broker].connected()
    }

    /// The connection ends, or an attempt fails; `random` is evenly distributed.
    ///
    /// - Returns: the wait before the next attempt.
    package mutating func ended(
        _ cause: ConnectionFailure.Cause, at now: Instant, random: UInt64
    ) -> Duration {
        let wasStable = connectedAt.map { now - $0 >= Self.stableTime } ?? false
        let wasConnected = connectedAt != nil
        connectedAt = nil
        if wasStable { backoff.reset() }
        if versions[broker].ended(cause, wasConnected: wasConnected, at: now) { return .zero }
        if case .takenOver = cause {
            broker = 0
            let pause = takeoverPause.microseconds
            let jitter = random.multipliedFullWidth(by: UInt64(pause / 2) + 1).high
            return .microseconds(pause - pause / 4 + Int64(jitter))
        }
        // A broker that accepts a connection and closes it immediately counts as failed.
        if !wasStable, broker + 1 < versions.count {
            broker += 1
            return .zero
        }
        broker = 0
        return backoff.delay(random: random)
    }
}
