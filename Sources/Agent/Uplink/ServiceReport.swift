import Posix
import Primitives

/// What the service manager is told of the gateway, and when.
///
/// It is ready once the first attempts at the radio and at the broker are over, however they ended: whatever is missing is
/// waited for without an end, and what waits for the broker is kept. So no start times out for want of an adapter or of a
/// network, and the status line says what is missing.
struct ServiceReport {
    /// What is in the way of being ready.
    struct Attempts: Equatable {
        var radio = false
        var broker = false
    }

    /// A service is ready after so long, in microseconds, whatever is still tried.
    static let patience: Int64 = 30_000_000
    /// Mere numbers are told no more often than this, in microseconds.
    static let interval: Int64 = 5_000_000

    private let readyBy: Instant
    private(set) var isReady = false
    private var told: StatusLine?
    private var nextNumbers: Instant

    init(at now: Instant) {
        readyBy = now.advanced(byMicroseconds: Self.patience)
        nextNumbers = now
    }

    /// What is worth telling; to be asked every second or so.
    mutating func news(
        _ line: StatusLine, over attempts: Attempts, at now: Instant
    ) -> [ServiceManager.News] {
        var news: [ServiceManager.News] = []
        if !isReady, attempts == Attempts(radio: true, broker: true) || readyBy <= now {
            isReady = true
            news.append(.ready)
        }
        let isNews = told.map { line.isNews(after: $0) } ?? true
        if isNews || line != told && nextNumbers <= now {
            told = line
            nextNumbers = now.advanced(byMicroseconds: Self.interval)
            news.append(.status(line.description))
        }
        return news
    }
}
