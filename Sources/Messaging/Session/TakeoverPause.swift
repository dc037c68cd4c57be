import Primitives

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
