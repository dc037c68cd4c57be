import Primitives

/// Measures how long the radio has been faulty. A shorter time of work than `confirmation` does not end a fault.
struct FaultTimer {
    private static let confirmation: Duration = .seconds(30)

    /// `nil` for no limit.
    private let limit: Duration?
    private var since: Instant?
    private var worksSince: Instant?
    /// Whether a fault has lasted for the limit.
    private(set) var isOver = false

    init(limit: Duration?) { self.limit = limit }

    /// When a fault reaches the limit; `nil` without a fault.
    var deadline: Instant? {
        guard let limit, let since, worksSince == nil, !isOver else { return nil }
        return since + limit
    }

    mutating func on(isFaulty: Bool, at now: Instant) {
        if isFaulty {
            since = since ?? now
            worksSince = nil
            if let deadline, deadline <= now { isOver = true }
        } else if since != nil {
            let start = worksSince ?? now
            worksSince = start
            if now - start >= Self.confirmation { (since, worksSince) = (nil, nil) }
        }
    }
}
