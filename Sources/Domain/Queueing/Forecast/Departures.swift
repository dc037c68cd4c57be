/// Those who were served lately: they show how fast the line moves.
struct Departures {
    /// The time from one departure to the next, while the line was not empty.
    struct Step: Equatable {
        let length: Duration
        /// When the person left.
        let left: UnixSecond
    }

    private typealias Dates = (left: UnixSecond, entered: UnixSecond)

    /// Final visits of the longest horizon, and the latest ones in any case.
    private var dates: [Dates] = []

    private static let fewest = 3

    mutating func note(_ visit: Visit) {
        dates.append((visit.left.second, visit.entered.second))
        let oldest = visit.left.second - Predictor.longestHorizon
        let old = dates.prefix { $0.left < oldest }.count
        dates.removeFirst(min(old, max(0, dates.count - Self.fewest - 1)))
    }

    /// The steps until now, the latest one last.
    ///
    /// - Parameter pending: stays that are over, but not final.
    func steps(_ pending: [LineStay]) -> [Step] {
        let dates: [Dates] = self.dates + pending.map { ($0.left.second, $0.entered.second) }
        var previous: UnixSecond?
        return dates.sorted(by: <).compactMap { left, entered in
            let start = max(previous ?? entered, entered)
            previous = left
            return left > start ? Step(length: left - start, left: left) : nil
        }
    }

    /// The mean in seconds of the steps that ended since `start`, and of the latest ones in any case.
    static func mean(_ steps: [Step], since start: UnixSecond) -> Double? {
        let recent = steps.reversed().enumerated()
            .prefix { $0.offset < fewest || $0.element.left >= start }
        guard !recent.isEmpty else { return nil }
        return recent.reduce(.zero) { $0 + $1.element.length }.inSeconds / Double(recent.count)
    }
}
