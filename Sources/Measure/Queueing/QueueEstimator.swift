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

    private var folds: SiteFolds<QueueFold>

    /// - Parameters:
    ///   - levels: what the gateways have learnt on the days before.
    ///   - watermarks: how far the day before is known; without them, the first windows of the gateways wait.
    ///   - allowedLateness: how late a message may come.
    ///   - learning: how long a gateway learns; the default is the layout's.
    ///   - mostPendingBytes: the memory in bytes for windows that wait behind a hole: an hour of eight gateways with 25 tags each.
    package init(
        _ layout: SiteLayout, levels: LearntLevels = LearntLevels(),
        watermarks: [String: Watermark] = [:],
        allowedLateness: Duration = .seconds(3600), learning: Duration? = nil,
        mostPendingBytes: Int = 22_000_000
    ) {
        folds = SiteFolds(
            QueueFold(
                layout, levels: levels, watermarks: watermarks,
                learning: learning ?? layout.learning),
            gateways: layout.gateways, allowedLateness: allowedLateness,
            mostPendingBytes: mostPendingBytes)
    }

    package mutating func take(_ window: WindowFact, from gateway: String) -> FactOutcome {
        folds.take(window, from: gateway)
    }

    /// Takes a till's own count. It changes the coverage of the present, and no final result.
    package mutating func take(_ receipt: Receipt, queue: String) -> FactOutcome {
        folds.update { $0.take(receipt, queue: queue) }
    }

    /// Final results of all seconds that no message within the allowed lateness can change.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    package mutating func advance(atMost limit: Duration? = nil) -> [Result] {
        folds.advance((), atMost: limit)
    }

    /// Moves the live results to the present.
    ///
    /// - Parameters:
    ///   - second: the caller's clock.
    ///   - offline: the gateways that the broker reports as offline.
    ///   - limit: the part of the past that each of the live copies computes again at most.
    package mutating func advance(
        through second: UnixSecond, offline: Set<String> = [], atMost limit: Duration? = nil
    ) {
        folds.advance(through: second, offline: offline, (), atMost: limit)
    }

    /// Folds everything: no message will follow.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    package mutating func finish(atMost limit: Duration? = nil) -> [Result] {
        folds.finish((), atMost: limit)
    }

    /// Whether the calls of `advance` or `finish` have left seconds to the next ones.
    package var isBehind: Bool { folds.isBehind }

    /// The time that was folded before the allowed lateness because the memory was full.
    package var passedEarly: Duration { folds.passedEarly }

    // MARK: Windows in the owner's store

    /// Gives up the memory of windows that start before `time`, where a fold has more than `bytes` of them.
    package mutating func release(before time: UnixTime, ifAbove bytes: Int) {
        folds.release(before: time, ifAbove: bytes)
    }

    /// The starts of windows that were given up, and without which the calls of `advance` and `finish` can't go on.
    package var wanted: Range<UnixTime>? { folds.wanted }

    /// Takes back all windows that the owner has in `span`, from the beginning of `wanted`.
    package mutating func restore(
        _ windows: [(gateway: String, window: WindowFact)], in span: Range<UnixTime>
    ) {
        folds.restore(windows, in: span)
    }

    // MARK: Results

    /// How far each gateway is known, for the next day. It is complete after `finish()`.
    package var watermarks: [String: Watermark] { folds.final.watermarks }

    /// Each queue by present knowledge, as of the last `advance(through:)`.
    package var now: [QueueNow] { folds.present.now }

    /// Each queue without any knowledge.
    package var unknown: [QueueNow] { folds.final.unknown }

    /// The minutes that are not final, by present knowledge, as of the last `advance(through:)`.
    package var provisional: [QueuePeriod] {
        folds.present.provisional(after: folds.live ?? [])
    }

    /// The visits of the last hour that are not final, by present knowledge, as of the last `advance(through:)`.
    package var provisionalVisits: [Visit] {
        let fold = folds.present
        return zip(zip(fold.accounts, fold.views), folds.final.accounts).flatMap {
            $0.0.provisionalVisits($0.1, besides: $1)
        }
    }

    /// The minutes of the people who are in line at present, by present knowledge. Without another message, their waits stay
    /// unknown.
    package var unfinished: [QueuePeriod] {
        let fold = folds.present
        let joined = fold.views.map { $0.entered.first ?? .never }
        let first = Dictionary(
            zip(fold.accounts.map(\.name), joined), uniquingKeysWith: { one, _ in one })
        return provisional.filter { $0.seconds.upperBound > first[$0.queue] ?? .never }
    }

    /// The states of each gateway since the day began, by present knowledge.
    package var strips: [GatewayStrip] { folds.present.strips }

    /// What the next day begins with. It is complete after `finish()`.
    package var learntLevels: LearntLevels { folds.final.learntLevels }

    /// Seconds of tags that the final results leave out because too many were present at one time, or known.
    package var refusedTagSeconds: Int { folds.final.refusedTagSeconds }

    /// The newest time of any window.
    package var newest: UnixTime? { folds.final.seconds.newest }

    /// Stays of each queue by the kind of their tag.
    package var counts: [TagCounts] { folds.final.accounts.map(\.counts) }
}
