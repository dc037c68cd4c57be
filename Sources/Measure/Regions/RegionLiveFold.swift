import Facts
import Primitives

/// The live results: two copies of the final fold that run ahead to the present by force. A second of which no message has come is
/// unknown to them.
///
///     final ─▶ recent (30 s ago) ─▶ present
///
/// A message about a second that a copy has passed makes it outdated; it is made again from the slower one.
struct RegionLiveFold: Sendable {
    private var recent = RegionAheadFold(pace: .seconds(30))
    private var present = RegionAheadFold(pace: .seconds(1), isPresent: true)

    /// The time from the end of a window with a beacon to its arrival is shorter.
    private static let delivery = Duration.seconds(2)
    /// The copy `recent` runs so long behind the present.
    private static let lag = Duration.seconds(30)

    /// The fold at the present; `nil` before the first call of `advance`.
    var fold: RegionFold? { present.current?.fold }

    /// The events beyond the final fold; `nil` while the copy lacks a message, or has not folded all.
    var events: [RegionEvent]? {
        guard let current = present.current, !current.fold.isOutdated, !current.fold.isBehind
        else { return nil }
        return current.events
    }

    var isBehind: Bool { recent.isBehind || present.isBehind }

    mutating func take(_ window: WindowFact, from gateway: Int) {
        recent.take(window, from: gateway)
        present.take(window, from: gateway)
    }

    mutating func advance(
        through second: UnixSecond, _ subjects: RegionSubjects, atMost limit: Duration?,
        from final: RegionFold
    ) {
        guard second > 0 + Self.lag else { return }
        let source = RegionAheadFold.Copy(fold: final)
        let isNew = recent.advance(
            settling: second.start - Self.lag, at: second, subjects, atMost: limit, from: source)
        guard let slower = recent.current else { return }
        if isNew { present.restart(at: second, from: slower) }
        _ = present.advance(
            settling: second.start - Self.delivery, at: second, subjects, atMost: limit,
            from: slower)
        guard let end = final.next?.start else { return }
        recent.forget(through: end)
        present.forget(through: end)
    }
}

/// A copy of a slower fold that runs ahead of it.
struct RegionAheadFold: Sendable {
    struct Copy: Sendable {
        var fold: RegionFold
        /// The events beyond the final fold.
        var events: [RegionEvent] = []

        mutating func advance(
            settling bound: UnixTime, _ subjects: RegionSubjects, atMost limit: Duration?
        ) {
            events += fold.advance(settling: bound, subjects, atMost: limit)
        }

        /// Whether it knows nothing more than the slower one, as after a backlog.
        func isBehind(_ source: Copy) -> Bool {
            guard let next = fold.next, let other = source.fold.next else { return false }
            return next < other || (next == other && fold.isOutdated)
        }
    }

    private(set) var current: Copy?
    private var replacement: Copy?
    private var lastStart: UnixSecond?
    /// The time between the starts of two replacements at least.
    private let pace: Duration
    private let isPresent: Bool

    init(pace: Duration, isPresent: Bool = false) {
        self.pace = pace
        self.isPresent = isPresent
    }

    var isBehind: Bool { current?.fold.isBehind ?? false || replacement?.fold.isBehind ?? false }

    mutating func take(_ window: WindowFact, from gateway: Int) {
        _ = current?.fold.take(window, from: gateway)
        _ = replacement?.fold.take(window, from: gateway)
    }

    /// The slower fold is another one now.
    mutating func restart(at second: UnixSecond, from source: Copy) {
        replacement = Copy(fold: source.fold.copy(isPresent: isPresent), events: source.events)
        lastStart = second
    }

    /// Folds the seconds before `bound`.
    ///
    /// - Returns: whether a replacement took over.
    mutating func advance(
        settling bound: UnixTime, at second: UnixSecond, _ subjects: RegionSubjects,
        atMost limit: Duration?, from source: Copy
    ) -> Bool {
        current?.advance(settling: bound, subjects, atMost: limit)
        replacement?.advance(settling: bound, subjects, atMost: limit)
        if let copy = current, copy.isBehind(source) { (current, lastStart) = (nil, nil) }
        if let copy = replacement, copy.isBehind(source) { (replacement, lastStart) = (nil, nil) }
        let isDue = lastStart.map { second - $0 >= pace || second < $0 } ?? true
        if current?.fold.isOutdated ?? true, replacement == nil, isDue {
            restart(at: second, from: source)
            replacement?.advance(settling: bound, subjects, atMost: limit)
        }
        guard let replacement,
            replacement.fold.next.map({ $0 >= UnixSecond(containing: bound) }) ?? true
        else { return false }
        current = replacement
        self.replacement = nil
        return true
    }

    /// Drops the events that the final fold has decided.
    mutating func forget(through end: UnixTime) {
        current?.events.removeAll { $0.decidedAt <= end }
        replacement?.events.removeAll { $0.decidedAt <= end }
    }
}
