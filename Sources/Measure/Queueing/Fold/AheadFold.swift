import Facts
import Primitives

/// A copy of a slower fold that runs ahead of it by force.
///
/// A message about a second that the copy has passed makes it outdated. Then a replacement starts from the slower
/// fold, and takes over as soon as it has caught up.
struct AheadFold {
    private struct Copy {
        var fold: QueueFold
        /// The minutes that it has closed beyond the slower fold.
        var closed: [QueuePeriod]

        /// Whether the slower fold has caught up with it, as it does with a backlog of hours.
        func isBehind(_ source: QueueFold) -> Bool {
            guard let next = fold.next, let other = source.next else { return false }
            return next < other || (next == other && fold.isOutdated)
        }

        mutating func advance(
            settling bound: UnixTime, atMost limit: Duration?, _ offline: OfflineTimes
        ) {
            fold.offline = offline
            for case .period(let period) in fold.advance(settling: bound, atMost: limit) {
                closed.append(period)
            }
        }
    }

    private var current: Copy?
    private var replacement: Copy?
    /// The time between the starts of two replacements at least.
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

    var fold: QueueFold? { current?.fold }
    var closed: [QueuePeriod] { current?.closed ?? [] }
    /// Whether a copy has left seconds to the next call.
    var isBehind: Bool {
        current?.fold.isBehind ?? false || replacement?.fold.isBehind ?? false
    }
    /// The memory of the windows that the copies have not folded, in bytes.
    var pendingBytes: Int {
        (current?.fold.pendingBytes ?? 0) + (replacement?.fold.pendingBytes ?? 0)
    }

    /// Gives up windows that start before `time`, where they have more than `bytes`.
    mutating func release(before time: UnixTime, ifAbove bytes: Int) {
        current?.fold.release(before: time, ifAbove: bytes)
        replacement?.fold.release(before: time, ifAbove: bytes)
    }

    /// The starts of released windows without which a copy can't go on.
    var wanted: [Range<UnixTime>] {
        [current?.fold.wanted, replacement?.fold.wanted].compactMap(\.self)
    }

    /// Takes back released windows: all that the owner has in `span`.
    mutating func restore(
        _ windows: [(gateway: Int, window: WindowFact)], in span: Range<UnixTime>
    ) {
        current?.fold.restore(windows, in: span)
        replacement?.fold.restore(windows, in: span)
    }

    mutating func take(_ window: WindowFact, from gateway: Int) {
        _ = current?.fold.take(window, from: gateway)
        _ = replacement?.fold.take(window, from: gateway)
    }

    mutating func take(_ receipt: Receipt, queue: String) {
        _ = current?.fold.take(receipt, queue: queue)
        _ = replacement?.fold.take(receipt, queue: queue)
    }

    /// The slower fold is another one now.
    mutating func restart(at second: UnixSecond, from source: QueueFold, closed: [QueuePeriod]) {
        replacement = Copy(fold: source.copy(isPresent: isPresent), closed: closed)
        lastStart = second
    }

    /// Folds the seconds before `bound`.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    /// - Returns: whether a replacement took over.
    mutating func advance(
        settling bound: UnixTime, at second: UnixSecond, atMost limit: Duration?,
        _ offline: OfflineTimes, from source: QueueFold, closed: [QueuePeriod]
    ) -> Bool {
        current?.advance(settling: bound, atMost: limit, offline)
        replacement?.advance(settling: bound, atMost: limit, offline)
        dropCopies(behind: source)
        if current?.fold.isOutdated ?? true, replacement == nil,
            lastStart.map({ second - $0 >= pace || second < $0 }) ?? true
        {
            restart(at: second, from: source, closed: closed)
            replacement?.advance(settling: bound, atMost: limit, offline)
        }
        guard let replacement,
            replacement.fold.next.map({ $0 >= UnixSecond(containing: bound) }) ?? true
        else { return false }
        current = replacement
        self.replacement = nil
        return true
    }

    /// Drops copies that know nothing more than the slower fold. The next replacement starts without a pause.
    private mutating func dropCopies(behind source: QueueFold) {
        if let copy = current, copy.isBehind(source) { (current, lastStart) = (nil, nil) }
        if let copy = replacement, copy.isBehind(source) { (replacement, lastStart) = (nil, nil) }
    }

    /// Drops the minutes that the final fold has closed.
    mutating func forget(closedBy final: QueueFold) {
        let ends = Dictionary(
            final.accounts.map { ($0.name, $0.minutes.closedThrough) }, uniquingKeysWith: { $1 })
        let isClosed = { (period: QueuePeriod) in
            (ends[period.queue] ?? nil).map { period.seconds.lowerBound < $0 } ?? false
        }
        current?.closed.removeAll(where: isClosed)
        replacement?.closed.removeAll(where: isClosed)
    }
}
