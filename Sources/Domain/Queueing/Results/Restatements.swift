/// The numbers of a result's restatements: `rev` rises whenever a period is published with other contents.
package struct Restatements {
    /// The last publication of a period.
    private struct Published {
        var rev: Int
        var period: QueuePeriod
    }

    /// By queue and start, of periods that are not final.
    private var published: [String: [Int64: Published]] = [:]

    package init() {}

    /// - Returns: the number to publish the period with; `nil` if it is provisional and unchanged.
    package mutating func rev(of period: QueuePeriod, isFinal: Bool) -> Int? {
        let start = period.seconds.lowerBound
        let before = published[period.queue]?[start]
        let isChanged = before?.period != period
        let rev = (before?.rev ?? 0) + (isChanged ? 1 : 0)
        if isFinal {
            published[period.queue]?[start] = nil
            return rev
        }
        guard isChanged else { return nil }
        published[period.queue, default: [:]][start] = Published(rev: rev, period: period)
        return rev
    }
}
