import Facts
import Posix
import Primitives
import Queueing
import ResultStore

/// One day of a site: its estimator, and the windows of later days that came before it was closed.
///
/// Its results follow from the levels at its beginning and the set of its windows.
struct OpenDay {
    let day: LocalDay
    /// What the days before have taught.
    let levels: LearntLevels
    private(set) var estimator: QueueEstimator
    private(set) var early: [(gateway: String, fact: WindowFact)] = []
    private(set) var earlyReceipts: [(queue: String, receipt: Receipt)] = []
    private var earlyKeys: Set<EarlyKey> = []
    private var closing: DayClosing
    /// Whether a window of this day has come since the last look at its end.
    private var hasNew = false
    /// Whether the live results are of a past that is not the present any more.
    private var isPast = false
    /// Since when the store can't be read at the end of the day.
    private var unreadableSince: UnixTime?
    /// Whether the folds go on once the store can be read.
    private var waitsForStore = false

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
    /// The windows that are read again together.
    private static let restoredWindows = 100
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
        estimator = QueueEstimator(
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

    /// Whether the calls of `advance` or `finish` have left seconds to the next ones.
    var isUnfinished: Bool { estimator.isBehind }

    /// Whether another call of `advance` or `finish` folds further seconds at once.
    var isBehind: Bool { isUnfinished && !waitsForStore }

    /// Gives up the memory of windows that wait behind a hole, where a fold has more than `bytes` of them.
    ///
    /// - Parameter time: the store has all windows that start before.
    mutating func release(before time: UnixTime, ifAbove bytes: Int) {
        // The store may have windows of the next day too.
        estimator.release(before: min(time, day.span.upperBound), ifAbove: bytes)
    }

    /// Reads windows of a site again that were given up, if a fold can't go on without them: a part of them.
    mutating func restore(_ site: String, from store: any ResultStore) throws(StoreFailure) {
        waitsForStore = estimator.wanted != nil
        guard let wanted = estimator.wanted else { return }
        guard store.isReadable else {
            throw StoreFailure(.unavailable, "its rows can't be read now")
        }
        let end = try store.end(of: Self.restoredWindows, of: site, in: wanted)
        let span = wanted.lowerBound..<end
        var windows: [(gateway: String, window: WindowFact)] = []
        let damaged = try store.facts(of: site, in: span) { windows.append(($0, $1)) }
        guard damaged == 0 else {
            throw StoreFailure(.corrupt, "\(damaged) stored windows are damaged")
        }
        estimator.restore(windows, in: span)
        waitsForStore = false
    }

    /// The same at the end of the day: it does not wait longer for the store than for the broker.
    ///
    /// - Returns: the starts of windows that the day's results lack.
    mutating func restoreAtEnd(
        _ site: String, from store: any ResultStore, wall: UnixTime
    ) -> Range<UnixTime>? {
        do throws(StoreFailure) {
            try restore(site, from: store)
            unreadableSince = nil
            return nil
        } catch {
            let since = unreadableSince ?? wall
            unreadableSince = since
            guard wall - since >= DayClosing.longest else { return nil }
            let lacking = estimator.wanted
            while let wanted = estimator.wanted { estimator.restore([], in: wanted) }
            waitsForStore = false
            return lacking
        }
    }

    /// Final results so far, and live ones up to the present second: a part of them.
    ///
    /// - Parameter offline: the gateways that are offline.
    mutating func advance(
        through second: UnixSecond, offline: Set<String>
    ) -> [QueueEstimator.Result] {
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
    mutating func fold(before time: UnixTime) -> (results: [QueueEstimator.Result], isDone: Bool) {
        guard let newest = estimator.newest,
            newest - allowedLateness <= time
        else { return ([], true) }
        return (estimator.advance(atMost: Self.part), !isUnfinished)
    }

    /// The rest of the final results, since the day is over: a part of them.
    mutating func finish() -> [QueueEstimator.Result] {
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

/// Decides when a day is closed: when none of its windows is on its way any more.
///
/// Windows take a moment to arrive, and gateways' clocks differ. After an absence of the server, the broker first sends what it
/// has kept.
struct DayClosing {
    /// A day is closed so long after its end at the earliest.
    static let delivery = Duration.seconds(60)
    /// The broker is then connected, and has sent no window of the day for so long.
    private static let quiet = Duration.seconds(10)
    /// The next day waits for so long at most: the broker may be away, and a gateway's clock wrong.
    static let longest = Duration.seconds(600)
    /// A server that runs has closed a day so long after its end.
    static let latest = delivery + longest

    private let end: UnixTime
    private var quietSince: UnixTime?
    private var waitsSince: UnixTime?
    private var isDecided = false

    init(_ day: LocalDay) { end = day.span.upperBound }

    /// Whether the day is to be closed now. The owner calls it about every second.
    ///
    /// - Parameters:
    ///   - isConnected: to the broker.
    ///   - hasNew: whether a window of the day has come since the last call, or is known to be missing.
    ///   - isNextFull: whether enough windows of the next day have come: the broker then has none of this day.
    mutating func isDue(
        at wall: UnixTime, isConnected: Bool, hasNew: Bool, isNextFull: Bool
    ) -> Bool {
        if !isConnected {
            quietSince = nil
        } else if hasNew || quietSince == nil {
            quietSince = wall
        }
        guard isPast(at: wall) else { return isDecided }
        let since = waitsSince ?? wall
        waitsSince = since
        let isQuiet = quietSince.map { wall - $0 >= Self.quiet } ?? false
        isDecided = isDecided || isNextFull || isQuiet || wall - since >= Self.longest
        return isDecided
    }

    /// Whether the windows of a server that was always connected have arrived.
    func isPast(at wall: UnixTime) -> Bool { wall >= end + Self.delivery }
}
