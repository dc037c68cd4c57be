import Primitives

/// A copy of a slower fold that runs ahead of it by force.
///
/// A message about a second that the copy has passed makes it outdated. Then a replacement starts from the slower
/// fold, and takes over as soon as it has caught up.
struct AheadFold<Fold: SecondFold> {
    struct Copy {
        var fold: Fold
        /// What it has found beyond the final fold.
        var results: [Fold.Output] = []

        /// Whether the slower fold has caught up with it, as it does with a backlog of hours.
        func isBehind(_ source: Copy) -> Bool {
            guard let next = fold.seconds.next, let other = source.fold.seconds.next
            else { return false }
            return next < other || (next == other && fold.seconds.isOutdated)
        }

        mutating func update(_ change: (inout Fold) -> Void) { change(&fold) }

        mutating func advance(
            settling bound: UnixTime, _ context: Fold.Context, atMost limit: Duration?,
            _ offline: OfflineTimes
        ) {
            fold.seconds.offline = offline
            results += fold.advance(settling: bound, context, atMost: limit)
        }
    }

    private(set) var current: Copy?
    private var replacement: Copy?
    private let pace: Duration
    private let isPresent: Bool
    private var lastStart: UnixSecond?

    /// - Parameters:
    ///   - pace: the time between the starts of two replacements at least.
    ///   - isPresent: whether it is the fold of the present.
    init(pace: Duration, isPresent: Bool = false) {
        self.pace = pace
        self.isPresent = isPresent
    }

    /// Of both copies.
    var seconds: [SiteSeconds] {
        [current?.fold.seconds, replacement?.fold.seconds].compactMap(\.self)
    }

    mutating func update(_ change: (inout Fold) -> Void) {
        current?.update(change)
        replacement?.update(change)
    }

    /// The slower fold is another one now.
    mutating func restart(at second: UnixSecond, from source: Copy) {
        replacement = Copy(fold: source.fold.copy(isPresent: isPresent), results: source.results)
        lastStart = second
    }

    /// Folds the seconds before `bound`.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    /// - Returns: whether a replacement took over.
    mutating func advance(
        settling bound: UnixTime, at second: UnixSecond, _ context: Fold.Context,
        atMost limit: Duration?, _ offline: OfflineTimes, from source: Copy
    ) -> Bool {
        current?.advance(settling: bound, context, atMost: limit, offline)
        replacement?.advance(settling: bound, context, atMost: limit, offline)
        dropCopies(behind: source)
        let isDue = lastStart.map { second - $0 >= pace || second < $0 } ?? true
        if current?.fold.seconds.isOutdated ?? true, replacement == nil, isDue {
            restart(at: second, from: source)
            replacement?.advance(settling: bound, context, atMost: limit, offline)
        }
        guard let replacement,
            replacement.fold.seconds.next.map({ $0 >= UnixSecond(containing: bound) }) ?? true
        else { return false }
        current = replacement
        self.replacement = nil
        return true
    }

    /// Drops copies that know nothing more than the slower fold. The next replacement starts without a pause.
    private mutating func dropCopies(behind source: Copy) {
        if let copy = current, copy.isBehind(source) { (current, lastStart) = (nil, nil) }
        if let copy = replacement, copy.isBehind(source) { (replacement, lastStart) = (nil, nil) }
    }

    /// Drops the results about which the final fold has decided.
    mutating func forget(_ isDecided: (Fold.Output) -> Bool) {
        current?.results.removeAll(where: isDecided)
        replacement?.results.removeAll(where: isDecided)
    }
}
