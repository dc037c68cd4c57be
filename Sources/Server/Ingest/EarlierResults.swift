/// The final results of the day that an earlier run of the server has stored, and then published.
///
/// After a restart, the estimator computes them again. Readers of the topics must not count them twice.
struct EarlierResults {
    /// The starts of minutes, by queue.
    private var minutes: [String: Set<Int64>] = [:]
    /// Visits are without tags, so that two may be equal.
    private var visits: [String: [[UInt8]: Int]] = [:]

    mutating func add(minute start: Int64, of queue: String) {
        minutes[queue, default: []].insert(start)
    }

    mutating func add(visit document: [UInt8], of queue: String) {
        visits[queue, default: [:]][document, default: 0] += 1
    }

    /// - Returns: whether an earlier run has published this minute.
    mutating func take(minute start: Int64, of queue: String) -> Bool {
        minutes[queue]?.remove(start) != nil
    }

    /// - Returns: whether an earlier run has published this visit.
    mutating func take(visit document: [UInt8], of queue: String) -> Bool {
        guard let count = visits[queue]?[document] else { return false }
        visits[queue]?[document] = count > 1 ? count - 1 : nil
        return true
    }
}
