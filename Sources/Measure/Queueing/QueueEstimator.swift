import Facts
import Primitives

/// The estimator of a site for one day.
///
/// Its results follow from two things alone: the levels with which it begins, and the set of the messages. Any order
/// and any number of deliveries of the same messages give bit-identical final results.
///
/// Beside the final fold, a live one runs ahead to the present (`advance(through:)`). Only the live one reads a time of the
/// caller.
package struct QueueEstimator {
    /// A result that does not change any more.
    package enum Result: Equatable, Sendable {
        case visit(Visit)
        case period(QueuePeriod)
    }

    private let gateways: [String]
    private var final: QueueFold
    private var live = LiveFold()
    /// How late a message may come: holes older than this are passed.
    private let allowedLateness: Duration
    /// The memory in bytes for windows that wait behind a hole: an hour of eight gateways with 25 tags each.
    private let mostPendingBytes: Int
    /// The time that was folded before the allowed lateness because that memory was full: holes, and the seconds among them.
    package private(set) var passedEarly = Duration.zero

    /// With full memory, one call of `advance` passes so much of a hole at most.
    private static let earlyStep = Duration.seconds(60)

    /// - Parameters:
    ///   - levels: what the gateways have learnt on the days before.
    ///   - watermarks: how far the day before is known; without them, the first windows of the gateways wait.
    ///   - allowedLateness: how late a message may come.
    ///   - learning: how long a gateway learns; the default is the layout's.
    ///   - mostPendingBytes: the memory in bytes for windows that wait behind a hole.
    package init(
        _ layout: SiteLayout, levels: LearntLevels = LearntLevels(),
        watermarks: [String: Watermark] = [:],
        allowedLateness: Duration = .seconds(3600), learning: Duration? = nil,
        mostPendingBytes: Int = 22_000_000
    ) {
        self.mostPendingBytes = mostPendingBytes
        gateways = layout.gateways
        self.allowedLateness = allowedLateness
        final = QueueFold(
            layout, levels: levels, watermarks: watermarks, learning: learning ?? layout.learning)
    }

    package mutating func take(_ window: WindowFact, from gateway: String) -> FactOutcome {
        guard let index = gateways.firstIndex(of: gateway) else { return .foreign }
        let outcome = final.take(window, from: index)
        if outcome == .new { live.take(window, from: index) }
        return outcome
    }

    /// Takes a till's own count. It changes the coverage of the present, and no final result.
    package mutating func take(_ receipt: Receipt, queue: String) -> FactOutcome {
        switch final.take(receipt, queue: queue) {
        case true?:
            live.take(receipt, queue: queue)
            return .new
        case false?: return .repeated
        case nil: return .foreign
        }
    }

    /// Folds all seconds that no message within the allowed lateness can change, and returns final results.
    ///
    /// Where too many windows wait behind a hole, it also passes a part of the hole. Its messages are then late.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    package mutating func advance(atMost limit: Duration? = nil) -> [Result] {
        guard let newest else { return [] }
        var results = final.advance(settling: newest - allowedLateness, atMost: limit)
        if isFull, !final.isBehind, let first = final.firstUnfolded() {
            let step = min(Self.earlyStep, limit ?? Self.earlyStep)
            passedEarly += step
            results += final.advance(settling: (first + step).start, atMost: limit)
        }
        return results
    }

    /// Whether the memory is full of windows that wait.
    private var isFull: Bool { final.pendingBytes > mostPendingBytes }

    /// Whether the calls of `advance` or `finish` have left seconds to the next ones.
    package var isBehind: Bool { final.isBehind || isFull || live.isBehind }

    /// Moves the live results to the present.
    ///
    /// - Parameters:
    ///   - second: the caller's clock.
    ///   - offline: the gateways that the broker reports as offline. They count as silent from then on, until a call leaves them out.
    ///   - limit: the part of the past that each of the live copies computes again at most: it bounds the time of the call.
    package mutating func advance(
        through second: UnixSecond, offline: Set<String> = [], atMost limit: Duration? = nil
    ) {
        let indices = offline.compactMap { gateways.firstIndex(of: $0) }
        live.advance(through: second, offline: Set(indices), atMost: limit, from: final)
    }

    /// Folds everything: no message will follow.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    package mutating func finish(atMost limit: Duration? = nil) -> [Result] {
        live = LiveFold()
        return final.finish(atMost: limit)
    }

    // MARK: Windows in the owner's store

    /// Gives up the memory of windows that start before `time`, where a fold has more than `bytes` of them. The owner can read all of
    /// them again.
    package mutating func release(before time: UnixTime, ifAbove bytes: Int) {
        final.release(before: time, ifAbove: bytes)
        live.release(before: time, ifAbove: bytes)
    }

    /// The starts of windows that were given up, and without which the calls of `advance` and `finish` can't go on; `nil` if they
    /// can. The owner reads the first ones again, and hands them over with `restore`.
    package var wanted: Range<UnixTime>? {
        ([final.wanted].compactMap(\.self) + live.wanted)
            .min { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    }

    /// Takes back windows that were given up.
    ///
    /// - Parameters:
    ///   - windows: all windows that the owner has in `span`.
    ///   - span: their starts, from the beginning of `wanted`.
    package mutating func restore(
        _ windows: [(gateway: String, window: WindowFact)], in span: Range<UnixTime>
    ) {
        let found = windows.compactMap { gateway, window in
            gateways.firstIndex(of: gateway).map { (gateway: $0, window: window) }
        }
        final.restore(found, in: span)
        live.restore(found, in: span)
    }

    // MARK: Results

    /// How far each gateway is known, for the next day. It is complete after `finish()`.
    package var watermarks: [String: Watermark] { final.watermarks }

    /// Each queue by present knowledge, as of the last `advance(through:)`.
    package var now: [QueueNow] { (live.fold ?? final).now }

    /// Each queue without any knowledge.
    package var unknown: [QueueNow] { final.unknown }

    /// The minutes that are not final, by present knowledge, as of the last `advance(through:)`.
    package var provisional: [QueuePeriod] {
        live.fold == nil ? final.provisional() : live.provisional
    }

    /// The visits of the last hour that are not final, by present knowledge, as of the last `advance(through:)`.
    package var provisionalVisits: [Visit] {
        let fold = live.fold ?? final
        return zip(zip(fold.accounts, fold.views), final.accounts).flatMap {
            $0.0.provisionalVisits($0.1, besides: $1)
        }
    }

    /// The minutes of the people who are in line at present, by present knowledge. Without another message, their waits stay
    /// unknown.
    package var unfinished: [QueuePeriod] {
        let fold = live.fold ?? final
        let joined = fold.views.map { $0.entered.first ?? .never }
        let first = Dictionary(
            zip(fold.accounts.map(\.name), joined), uniquingKeysWith: { one, _ in one })
        return provisional.filter { $0.seconds.upperBound > first[$0.queue] ?? .never }
    }

    /// The states of each gateway since the day began, by present knowledge.
    package var strips: [GatewayStrip] { (live.fold ?? final).strips }

    /// What the next day begins with. It is complete after `finish()`.
    package var learntLevels: LearntLevels { final.learntLevels }

    /// Seconds of tags that the final results leave out because too many were present at one time, or known.
    package var refusedTagSeconds: Int { final.refusedTagSeconds }

    /// The newest time of any window.
    package var newest: UnixTime? { final.newest }

    /// Stays of each queue by the kind of their tag.
    package var counts: [TagCounts] { final.accounts.map(\.counts) }
}
