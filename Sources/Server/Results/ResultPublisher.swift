import Contract
import Primitives

/// Decides when a changing result is published: on a change at most once a second, and at least every 30 s.
struct ResultPublisher<Contents: Equatable> {
    /// The shortest and the longest time between two publications.
    static var interval: ClosedRange<Duration> { .seconds(1)...ResultTopics.longestPause }

    private var published: Contents?
    private var publishedAt: Instant?
    /// Whether the next publication waits for the shortest time only.
    private var isDue = false
    /// Rises with each publication of other contents.
    private(set) var rev: Int64

    /// - Parameter rev: the number of the publication before the first one. Where it is the time of the start in
    ///   seconds, numbers rise over restarts too, since a second has one publication.
    init(rev: Int64) { self.rev = rev }

    /// - Returns: whether `contents` must be published now, with `rev`.
    mutating func on(_ contents: Contents, at now: Instant) -> Bool {
        let isChanged = published != contents
        if let publishedAt {
            let least = isChanged || isDue ? Self.interval.lowerBound : Self.interval.upperBound
            guard now - publishedAt >= least else { return false }
        }
        if isChanged { rev += 1 }
        published = contents
        publishedAt = now
        isDue = false
        return true
    }

    /// Makes the result due again after a new connection. A publication that has waited for it is sent now, and the next one
    /// follows after the shortest time.
    mutating func onConnection(at now: Instant) {
        isDue = true
        if publishedAt != nil { publishedAt = now }
    }
}
