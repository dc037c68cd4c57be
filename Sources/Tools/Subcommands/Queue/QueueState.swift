import Contract
import JSON
import Posix
import Primitives
import Results

/// The latest state of a queue, and whether it is still of the present.
struct QueueState {
    private let document: JSON
    private let arrived: Instant
    private(set) var isStale = false

    /// A publication may be under way for so long.
    private static let delay = Duration.seconds(5)

    init(_ document: JSON, at now: Instant) {
        self.document = document
        arrived = now
    }

    /// The same, after its time.
    var stale: QueueState {
        var stale = self
        stale.isStale = true
        return stale
    }

    /// When it becomes stale without another state; `nil` for a stale one.
    var deadline: Instant? {
        isStale ? nil : arrived + ResultTopics.longestPause + Self.delay
    }

    func isOverdue(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }

    /// The members that hold at present: of a stale state, none.
    var shown: JSON { isStale ? .null : document }

    /// `stale since 14:03:07`, from the second that the numbers describe; `nil` at present.
    var staleness: String? {
        guard isStale else { return nil }
        guard case .integer(let at)? = document["at"] else { return "stale" }
        return "stale since \(LocalDay.clockTime(of: UnixTime(milliseconds: at)))"
    }
}
