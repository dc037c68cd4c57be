import Posix
import Primitives

/// Decides what the service manager gets, and when.
///
/// The service is ready after the first attempts at the radio and at the broker, whatever their result: the agent retries
/// without limit and keeps batches for the broker. A missing adapter or network therefore never fails the start; the status
/// line names it.
struct ServiceReport {
    /// The first attempts, and whether each is over.
    struct Attempts: Equatable {
        var radio = false
        var broker = false
    }

    /// After this time the service is ready in any case.
    static let readyTimeout = Duration.seconds(30)
    /// The shortest time between two status lines that differ only in numbers.
    static let interval = Duration.seconds(5)

    private let readyBy: Instant
    private(set) var isReady: Bool
    private var reported: StatusLine?
    private var nextNumbers: Instant

    /// - Parameter isReady: whether the service manager knows it already.
    init(isReady: Bool = false, at now: Instant) {
        self.isReady = isReady
        readyBy = now + Self.readyTimeout
        nextNumbers = now
    }

    /// The messages to send now. Call it about every second.
    mutating func messages(
        _ line: StatusLine, after attempts: Attempts, at now: Instant
    ) -> [ServiceManager.Notification] {
        var messages: [ServiceManager.Notification] = []
        if !isReady, attempts == Attempts(radio: true, broker: true) || readyBy <= now {
            isReady = true
            messages.append(.ready)
        }
        let isNewState = reported.map { line.differsInState(from: $0) } ?? true
        if isNewState || line != reported && nextNumbers <= now {
            reported = line
            nextNumbers = now + Self.interval
            messages.append(.status(line.description))
        }
        return messages
    }
}
