import Facts

/// Those who were served lately: they show how fast the line moves.
struct Departures {
    /// The time from one departure to the next, while the line was not empty.
    struct Step: Equatable {
        let length: Duration
        /// When the person left.
        let left: UnixSecond
    }

    private struct Departure {
        let left: UnixSecond
        let entered: EdgeDate
    }

    /// Of final visits in the longest horizon, and the latest ones in any case.
    private var departures: [Departure] = []
    /// Stretches of that time in which people may have left unseen, the last one last.
    private var unseen: [Range<UnixSecond>] = []

    /// Steps that a mean has at least, however old they are.
    private static let fewest = 3
    /// More stretches bound the state.
    private static let mostUnseen = 1000

    mutating func note(_ visit: Visit) {
        guard visit.end == .served, visit.left.isExact || visit.isTagLeft else { return }
        departures.append(Departure(left: visit.left.second, entered: visit.entered))
        let oldest = visit.left.second - Predictor.longestHorizon
        let old = departures.prefix { $0.left < oldest }.count
        departures.removeFirst(min(old, max(0, departures.count - Self.fewest - 1)))
        let first = departures[0].left
        unseen.removeAll { $0.upperBound <= first }
    }

    /// Notes seconds in which people may leave unseen.
    mutating func note(unseen seconds: Range<UnixSecond>) {
        if let last = unseen.last, last.upperBound == seconds.lowerBound {
            unseen[unseen.count - 1] = last.lowerBound..<seconds.upperBound
        } else {
            unseen.append(seconds)
        }
        if unseen.count > Self.mostUnseen { unseen.removeFirst() }
    }

    /// The steps until now, the latest one last. The first departure has none: the one before it is not known. The same holds for
    /// a departure after seconds in which others may have left.
    ///
    /// - Parameter pending: stays that are over, but not final.
    func steps(_ pending: [LineStay]) -> [Step] {
        let pending = pending.filter { $0.left.isExact || $0.isTagLeft }
            .map { Departure(left: $0.left.second, entered: $0.entered) }
        let all = (departures + pending)
            .sorted { ($0.left, $0.entered.second) < ($1.left, $1.entered.second) }
        return zip(all, all.dropFirst()).compactMap { previous, departure in
            let (left, entered) = (departure.left, departure.entered)
            guard entered.isExact || previous.left >= entered.latest else { return nil }
            // Two tills may end a service in the same second.
            let start = min(max(previous.left, entered.second), left)
            guard !unseen.contains(where: { $0.overlaps(start..<left) }) else { return nil }
            return Step(length: left - start, left: left)
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
