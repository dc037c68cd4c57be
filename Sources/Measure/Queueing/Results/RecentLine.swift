import Facts

/// The last hour of a queue: the final visits, and the final minutes. The queue at present tells of the last half.
struct RecentLine {
    /// The minutes that are final.
    private(set) var minutes: [QueuePeriod] = []
    /// The visits that are final, by the second of leaving.
    private(set) var visits: [Visit] = []

    /// The time that the results of the present tell of. Twice as much is kept: the last minutes are not final.
    static let horizon = Duration.seconds(1800)

    mutating func add(_ visit: Visit) { visits.append(visit) }

    mutating func add(_ period: QueuePeriod) {
        minutes.append(period)
        let start = period.seconds.upperBound - Self.horizon * 2
        minutes.removeAll { $0.seconds.upperBound <= start }
        visits.removeAll { $0.left.second < start }
    }

    /// The final visits that ended after `second`.
    func visits(since second: UnixSecond) -> [Visit] { visits.filter { $0.left.second > second } }
}
