import Posix
import Primitives

/// An attempt to connect, with one kind of address or with all.
struct ConnectionAttempt {
    let family: Host.Family?
    /// When it ends without an answer.
    let deadline: Instant
    /// Why the socket can't connect.
    var error: Errno?

    private static let limits: ClosedRange<Duration> = .seconds(1) ... .seconds(86400)

    init(_ family: Host.Family?, within time: Duration) {
        self.family = family
        deadline = .now + min(max(time, Self.limits.lowerBound), Self.limits.upperBound)
    }
}
