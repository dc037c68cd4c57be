import Primitives

/// The final results of the day that an earlier run of the server has stored, and then published.
///
/// After a restart, the estimator computes them again. Readers of the topics must not count them twice.
struct EarlierResults {
    /// The starts of minutes, by queue.
    private var minutes: [String: Set<UnixTime>] = [:]
    private var visits: [String: Visits] = [:]

    /// The visits of a queue that an earlier run has published.
    enum Visits {
        /// The first ones: the same layout and program find the same visits, in the same order.
        case first(Int)
        /// Those that followed from the windows in the store. Another layout, or program, found them: their number says nothing.
        case ofStoredWindows
    }

    mutating func add(minute start: UnixTime, of queue: String) {
        minutes[queue, default: []].insert(start)
    }

    mutating func add(_ visits: Visits, of queue: String) { self.visits[queue] = visits }

    /// - Returns: whether an earlier run has published this minute.
    mutating func take(minute start: UnixTime, of queue: String) -> Bool {
        minutes[queue]?.remove(start) != nil
    }

    /// - Parameters:
    ///   - number: the visit's number on this day, from 1.
    ///   - isStored: whether it follows from windows in the store.
    /// - Returns: whether an earlier run has published this visit.
    func has(visit number: Int, of queue: String, isStored: Bool) -> Bool {
        switch visits[queue] {
        case .first(let count): number <= count
        case .ofStoredWindows: isStored
        case nil: false
        }
    }
}
