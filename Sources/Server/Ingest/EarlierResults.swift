import Primitives

/// The final results of the day that an earlier run of the server has stored, and then published.
///
/// After a restart, the estimator computes them again. Readers of the topics must not count them twice.
struct EarlierResults {
    /// The starts of minutes, by queue.
    private var minutes: [String: Set<UnixTime>] = [:]
    /// Final visits come in the same order each time: the first ones are the earlier ones.
    private var visits: [String: Int] = [:]

    mutating func add(minute start: UnixTime, of queue: String) {
        minutes[queue, default: []].insert(start)
    }

    mutating func add(visits count: Int, of queue: String) { visits[queue] = count }

    /// - Returns: whether an earlier run has published this minute.
    mutating func take(minute start: UnixTime, of queue: String) -> Bool {
        minutes[queue]?.remove(start) != nil
    }

    /// - Parameter number: the visit's number on this day, from 1.
    /// - Returns: whether an earlier run has published this visit.
    func has(visit number: Int, of queue: String) -> Bool { number <= visits[queue] ?? 0 }
}
