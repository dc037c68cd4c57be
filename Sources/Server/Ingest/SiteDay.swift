import Posix
import Primitives
import Queueing

/// One day of a site: its estimator, and the windows of later days that came before it was closed.
///
/// Its results follow from the levels at its beginning and the set of its windows.
struct SiteDay {
    let day: LocalDay
    /// What the days before have taught.
    let levels: LearntLevels
    private(set) var estimator: SiteEstimator
    private(set) var early: [(gateway: String, fact: WindowFact)] = []
    private(set) var earlyReceipts: [(queue: String, receipt: Receipt)] = []
    private var earlyKeys: Set<EarlyKey> = []
    private var closing: DayClosing
    /// Whether a window of this day has come since the last look at its end.
    private var hasNew = false
    /// Whether the live results are of a past that is not the present any more.
    private var isPast = false

    /// What tells a window from the others.
    private struct EarlyKey: Hashable {
        let gateway: String
        let session: String
        let numbers: ClosedRange<UInt64>
    }

    /// The number of windows of the next day that close this one. Twice as many have a place meanwhile.
    private static let mostEarly = 10_000
    /// In one call, the final fold and each of its live copies fold so much at most: the loop must not wait.
    private static let part = Duration.seconds(10)
    private let allowedLateness: Duration

    /// - Parameter watermarks: how far the gateways were known at the end of the day before.
    init(
        _ day: LocalDay, _ layout: SiteLayout, levels: LearntLevels, allowedLateness: Duration,
        watermarks: [String: Watermark] = [:]
    ) {
        self.day = day
        self.levels = levels
        self.allowedLateness = allowedLateness
        closing = DayClosing(day)
        estimator = SiteEstimator(
            layout, levels: levels, watermarks: watermarks, allowedLateness: allowedLateness)
    }

    /// Takes a window of this day or of a later one.
    ///
    /// - Returns: `nil` if it must come again, since there is no place for it until the day is closed.
    mutating func take(_ fact: WindowFact, from gateway: String) -> MessageOutcome? {
        let start = fact.span.lowerBound
        if start < day.span.lowerBound { return .late }
        guard start >= day.span.upperBound else {
            let outcome = estimator.take(fact, from: gateway)
            hasNew = hasNew || outcome == .new
            return MessageOutcome(outcome)
        }
        let key = EarlyKey(gateway: gateway, session: fact.session, numbers: fact.numbers)
        if earlyKeys.contains(key) { return .repeated }
        guard early.count < 2 * Self.mostEarly else { return nil }
        earlyKeys.insert(key)
        early.append((gateway, fact))
        return .new
    }

    /// Takes a till's own count of this day or of a later one.
    mutating func take(_ receipt: Receipt, queue: String) -> MessageOutcome {
        let at = receipt.time
        if at < day.span.lowerBound { return .late }
        guard at >= day.span.upperBound else {
            return MessageOutcome(estimator.take(receipt, queue: queue))
        }
        if earlyReceipts.contains(where: { $0.receipt == receipt && $0.queue == queue }) {
            return .repeated
        }
        guard earlyReceipts.count < Self.mostEarly else { return .future }
        earlyReceipts.append((queue, receipt))
        return .new
    }

    /// Whether another call of `advance` or `finish` folds further seconds at once.
    var isBehind: Bool { estimator.isBehind }

    /// Final results so far, and live ones up to the present second: a part of them.
    ///
    /// - Parameter offline: the gateways that are offline.
    mutating func advance(
        through second: UnixSecond, offline: Set<String>
    ) -> [SiteEstimator.Result] {
        let end = UnixSecond(containing: day.span.upperBound)
        isPast = closing.isPast(at: second.start)
        let results = estimator.advance(atMost: Self.part)
        estimator.advance(through: min(second, end), offline: offline, atMost: Self.part)
        return results
    }

    /// Each queue at the present. Nothing is known of a present that is beyond the day.
    var now: [QueueNow] { isPast ? estimator.unknown : estimator.now }

    /// Final results of stored windows that come in the order of their starts: a part of them.
    ///
    /// A window behind `time` may be missing yet: holes before it stay open as long as it could fill them.
    ///
    /// - Returns: the results, and whether there are no more.
    mutating func fold(before time: UnixTime) -> (results: [SiteEstimator.Result], isDone: Bool) {
        guard let newest = estimator.newest,
            newest - allowedLateness <= time
        else { return ([], true) }
        return (estimator.advance(atMost: Self.part), !isBehind)
    }

    /// The rest of the final results, since the day is over: a part of them.
    mutating func finish() -> [SiteEstimator.Result] {
        estimator.finish(atMost: Self.part)
    }

    /// Whether the day is to be closed.
    ///
    /// - Parameter isPartial: whether windows of the day are missing that may come soon.
    mutating func isOver(at wall: UnixTime, isConnected: Bool, isPartial: Bool) -> Bool {
        defer { hasNew = false }
        return closing.isDue(
            at: wall, isConnected: isConnected, hasNew: hasNew || isPartial,
            isNextFull: isNextFull)
    }

    /// Whether the windows of the next day fill their place.
    var isNextFull: Bool { early.count >= Self.mostEarly }

    /// The time of the oldest message of a later day.
    var nextStart: UnixTime? {
        (early.map(\.fact.span.lowerBound) + earlyReceipts.map(\.receipt.time)).min()
    }
}
