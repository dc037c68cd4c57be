import Primitives

/// The estimator of a site for one day.
///
/// Its results follow from two things alone: the levels with which it begins, and the set of the messages. Any order
/// and any number of deliveries of the same messages give bit-identical final results.
///
/// Beside the final fold, a live one runs ahead to the present (`advance(through:)`). Only the live one reads a time of the
/// caller.
package struct SiteEstimator {
    /// What became of a message.
    package enum Outcome: String, CaseIterable, Sendable {
        case new, repeated, late, unsynced
        /// No queue of the layout has this gateway.
        case foreign
        /// It is of one session too many: a gateway has some a day.
        case excess
    }

    /// A result that does not change any more.
    package enum Result: Equatable, Sendable {
        case visit(Visit)
        case period(QueuePeriod)
    }

    private let gateways: [String]
    private var final: SiteFold
    private var live = LiveFold()
    /// How late a message may come: holes older than this are passed.
    private let allowedLateness: Duration
    /// The memory in bytes for windows that wait behind a hole: an hour of eight gateways with 25 tags each.
    private let mostWeight: Int
    /// Seconds of holes that were passed before the allowed lateness, since that memory was full.
    package private(set) var passedEarly: Int64 = 0

    /// A hole in full memory is passed so many seconds at a time at most.
    private static let earlySeconds: Int64 = 60

    /// - Parameters:
    ///   - levels: what the days before have taught.
    ///   - watermarks: how far the day before is known; without them, the first windows of the gateways wait.
    ///   - learningSeconds: instead of the layout's.
    package init(
        _ layout: SiteLayout, levels: LearntLevels = LearntLevels(),
        watermarks: [String: Watermark] = [:],
        allowedLateness: Duration = .seconds(3600), learningSeconds: Int64? = nil,
        mostWeight: Int = 22_000_000
    ) {
        self.mostWeight = mostWeight
        gateways = layout.gateways
        self.allowedLateness = allowedLateness
        final = SiteFold(
            layout, levels: levels, watermarks: watermarks,
            learningSeconds: learningSeconds ?? layout.learningSeconds)
    }

    package mutating func take(_ window: WindowFact, from gateway: String) -> Outcome {
        guard let index = gateways.firstIndex(of: gateway) else { return .foreign }
        switch final.take(window, from: index) {
        case .new:
            live.take(window, from: index)
            return .new
        case .repeated: return .repeated
        case .late: return .late
        case .unsynced: return .unsynced
        case .excess: return .excess
        }
    }

    /// Takes a till's own count. It changes the coverage of the present, and no final result.
    package mutating func take(_ receipt: Receipt, queue: String) -> Outcome {
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
    /// - Parameter limit: the seconds of one call at most; the others follow in the next calls.
    package mutating func advance(atMost limit: Int64 = .max) -> [Result] {
        let (bound, overflow) = (final.newest ?? .min).subtractingReportingOverflow(
            allowedLateness.milliseconds)
        var results = overflow ? [] : final.advance(settling: bound, atMost: limit)
        if isFull, !final.isBehind, let first = final.firstUnfolded() {
            let seconds = min(Self.earlySeconds, limit)
            passedEarly += seconds
            results += final.advance(settling: (first + seconds) * 1000, atMost: limit)
        }
        return results
    }

    /// Whether the memory is full of windows that wait.
    private var isFull: Bool { final.weight > mostWeight }

    /// Whether the calls of `advance` or `finish` have left seconds to the next ones.
    package var isBehind: Bool { final.isBehind || isFull || live.isBehind }

    /// Moves the live results to the present.
    ///
    /// - Parameters:
    ///   - second: the caller's clock, in seconds since the epoch.
    ///   - limit: the seconds of the past that one call computes again at most: it bounds the time of the call.
    package mutating func advance(through second: Int64, atMost limit: Int64 = .max) {
        live.advance(through: second, atMost: limit, from: final)
    }

    /// Folds everything: no message will follow.
    ///
    /// - Parameter limit: the seconds of one call at most; the others follow in the next calls.
    package mutating func finish(atMost limit: Int64 = .max) -> [Result] {
        live = LiveFold()
        return final.finish(atMost: limit)
    }

    /// How far each gateway is known, for the next day. It is complete after `finish()`.
    package var watermarks: [String: Watermark] { final.watermarks }

    /// Each queue by present knowledge, as of the last `advance(through:)`.
    package var now: [QueueNow] { (live.fold ?? final).now }

    /// The minutes that are not final, by present knowledge, as of the last `advance(through:)`.
    package var provisional: [QueuePeriod] {
        live.fold == nil ? final.provisional : live.provisional
    }

    /// The states of each gateway since the day began, by present knowledge.
    package var strips: [GatewayStrip] { (live.fold ?? final).strips }

    /// What the next day begins with. It is complete after `finish()`.
    package var learntLevels: LearntLevels { final.learntLevels }

    /// The newest time of any window, in milliseconds since the epoch.
    package var newest: UnixTime? { final.newest.map(UnixTime.init(milliseconds:)) }

    /// Each queue's line at the end of the last final second.
    package var views: [LineView] { final.views }

    /// Stays of each queue by the kind of their tag.
    package var counts: [TagCounts] { final.accounts.map(\.counts) }
}
