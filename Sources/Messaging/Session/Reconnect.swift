import MQTT
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

        var version: ProtocolVersion? {
            if case .fixed(let version) = self { version } else { nil }
        }
    }

    /// A connection of this length is stable: it resets the waits.
    package static let stableTime = Duration.seconds(10)
    /// After this number of unanswered attempts in a row, other versions are tried, and no will.
    package static let patience = 2
    /// The longest wait after another client with our identifier took over the connection, a quarter more or less.
    package static let takeoverPause = Duration.seconds(300)
    private static let longestTakeoverPause = Duration.seconds(3600)

    /// The state of one of the brokers.
    private struct Candidate: Sendable {
        var connect: NegotiatedConnect
        var pause: TakeoverPause
    }

    /// The index of the broker for the next attempt, or of the connected one.
    package private(set) var broker = 0
    private var candidates: [Candidate]
    private var backoff: Backoff
    private var connectedAt: Instant?
    /// Why the latest attempt failed, if that is a step of the choice of the version.
    package private(set) var doubt: VersionDoubt?

    /// - Parameters:
    ///   - choice: the version for the first broker.
    ///   - alternatives: the versions for the other brokers, in their order.
    ///   - patience: 1 for a program that a person waits for.
    package init(
        _ choice: Choice, alternatives: [Choice] = [], backoff: Backoff = Backoff(),
        takeoverPause: Duration = Self.takeoverPause, patience: Int = Self.patience,
        hasWill: Bool = false
    ) {
        let pause = TakeoverPause(
            longest: max(.zero, min(takeoverPause, Self.longestTakeoverPause)))
        candidates = ([choice] + alternatives).map {
            Candidate(
                connect: NegotiatedConnect($0, patience: patience, hasWill: hasWill), pause: pause)
        }
        self.backoff = backoff
    }

    /// The version for the next attempt.
    package var version: ProtocolVersion { candidates[broker].connect.form.version }

    /// Whether the next attempt, or the present connection, has the program's will.
    package var hasWill: Bool { candidates[broker].connect.form.hasWill }

    /// The time for CONNACK in the next attempt; `nil` for that of the settings.
    package func answerLimit(at now: Instant) -> Duration? {
        candidates[broker].connect.answerLimit(at: now)
    }

    /// Takes over which versions brokers support: `indices` has the index in `other` of each broker.
    mutating func inherit(from other: Reconnect, _ indices: [Int?], at now: Instant) {
        for (index, earlier) in zip(candidates.indices, indices) {
            guard let earlier else { continue }
            candidates[index].connect.inherit(from: other.candidates[earlier].connect, at: now)
        }
    }

    /// The broker accepts the connection.
    package mutating func connected(at now: Instant) {
        connectedAt = now
        candidates[broker].connect.connected(at: now)
    }

    /// The end of the connection has a cause that the next one avoids: the first wait is enough.
    mutating func causeFound() { backoff.reset() }

    /// The connection ends, or an attempt fails; `random` is evenly distributed.
    ///
    /// - Returns: the wait before the next attempt.
    package mutating func ended(
        _ cause: ConnectionFailure.Cause, at now: Instant, random: UInt64
    ) -> Duration {
        let length = connectedAt.map { now - $0 } ?? .zero
        let wasConnected = connectedAt != nil
        let wasStable = wasConnected && length >= Self.stableTime
        connectedAt = nil
        if wasStable { backoff.reset() }
        let isOtherForm = candidates[broker].connect.ended(
            cause, wasConnected: wasConnected, at: now)
        doubt = candidates[broker].connect.doubt
        if isOtherForm { return .zero }
        if case .takenOver = cause {
            candidates[broker].pause.begin(after: length, at: now, random: random)
        } else if wasStable {
            return nextRound(at: now, random: random)
        }
        // A broker that accepts a connection and closes it immediately counts as failed.
        let others = candidates.indices.dropFirst(broker + 1)
        if let next = others.first(where: { candidates[$0].pause.rest(at: now) == .zero }) {
            broker = next
            return .zero
        }
        return nextRound(at: now, random: random)
    }

    /// Begins with the first broker whose pause is over after the wait between rounds, or is over first.
    private mutating func nextRound(at now: Instant, random: UInt64) -> Duration {
        let rests = candidates.map { $0.pause.rest(at: now) }
        let wait = max(rests.min() ?? .zero, backoff.delay(random: random))
        broker = rests.firstIndex { $0 <= wait } ?? 0
        return wait
    }
}

/// The pause of one broker after another client with our identifier took over the connection.
///
/// Without a pause, the two clients would disconnect each other without end. It doubles with each takeover, up to a limit. A
/// long connection ends the doubling.
struct TakeoverPause: Sendable {
    /// The first pause, a quarter more or less.
    static let first = Duration.seconds(10)
    /// A connection as long as this number of longest pauses was not ended by the takeovers before it.
    static let memory = 3

    private let longest: Duration
    private var latest: Duration?
    /// The end of the latest pause.
    private var end: Instant?

    init(longest: Duration) { self.longest = longest }

    /// Begins the pause; `random` is evenly distributed.
    ///
    /// - Parameter connection: the length of the connection that was taken over.
    mutating func begin(after connection: Duration, at now: Instant, random: UInt64) {
        if connection >= longest * Self.memory { latest = nil }
        let pause = min(longest, latest.map { $0 * 2 } ?? Self.first)
        latest = pause
        let quarter = pause.microseconds / 4
        let jitter = random.multipliedFullWidth(by: UInt64(quarter * 2) + 1).high
        end = now + .microseconds(pause.microseconds - quarter + Int64(jitter))
    }

    /// The rest of the pause; zero after its end.
    func rest(at now: Instant) -> Duration { end.map { max(.zero, $0 - now) } ?? .zero }
}

/// What a link adds to a lost connection that another program of the same name may have ended.
package struct RivalHints: Sendable {
    /// Where the broker gives no reason.
    package let suspicion: String
    /// Where the broker names the reason.
    let remedy: String

    /// For programs that brokers know by their certificate or user name.
    package static let credentials = RivalHints(
        suspicion: "does another program use the same certificate or user name?",
        remedy: "each program in parallel needs a certificate of its own")

    private init(suspicion: String, remedy: String) {
        self.suspicion = suspicion
        self.remedy = remedy
    }

    /// For a program whose client identifier follows from its configuration.
    package init(clientID: String, remedy: String) {
        suspicion = "another program may be connected as \(clientID): \(remedy)"
        self.remedy = remedy
    }
}
