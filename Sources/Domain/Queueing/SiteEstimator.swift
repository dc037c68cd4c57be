/// The estimator of a site: a pure fold over the seconds of its gateways.
///
/// Messages only fill the gateways' timelines, which are sets. The fold then walks over event time, second by second.
/// Results are therefore the same for any order and any number of deliveries.
package struct SiteEstimator {
    /// What became of a message.
    package enum Outcome: String, CaseIterable, Sendable {
        case new, repeated, late, unsynced
        /// No queue of the layout has this gateway.
        case foreign
    }

    /// A result that does not change any more.
    package enum Result: Equatable, Sendable {
        case visit(Visit)
        case period(QueuePeriod)
    }

    private let gateways: [String]
    private var timelines: [GatewayTimeline]
    private var learning: [LearningTime]
    private var registry: TagRegistry
    private var accounts: [QueueAccount]
    /// The next second to fold; `nil` before the first.
    private var next: Int64?
    /// How late a message may come: holes older than this are passed.
    private let allowedLatenessMs: Int64

    /// After so long without any window, the fold jumps to the next one.
    private static let longestSilence: Int64 = 600

    /// - Parameter learningSeconds: how long each gateway learns its close level after its first tag.
    package init(
        _ layout: SiteLayout, allowedLatenessMs: Int64 = 3_600_000, learningSeconds: Int64 = 900
    ) {
        gateways = layout.gateways
        self.allowedLatenessMs = allowedLatenessMs
        accounts = layout.queues.map { [gateways] in QueueAccount($0, gateways: gateways) }
        timelines = gateways.map { _ in GatewayTimeline() }
        learning = gateways.map { _ in LearningTime(seconds: learningSeconds) }
        registry = TagRegistry(gateways: gateways.count, roles: accounts.map(\.roles))
    }

    package mutating func take(_ window: WindowFact, from gateway: String) -> Outcome {
        guard let index = gateways.firstIndex(of: gateway) else { return .foreign }
        return switch timelines[index].take(window) {
        case .new: .new
        case .repeated: .repeated
        case .late: .late
        case .unsynced: .unsynced
        }
    }

    /// Folds all seconds that no message within the allowed lateness can change.
    package mutating func advance() -> [Result] {
        let newest = newest ?? .min
        let (bound, overflow) = newest.subtractingReportingOverflow(allowedLatenessMs)
        guard !overflow else { return [] }
        let ends = timelines.indices.map { timelines[$0].settle(upTo: bound) }
        return fold(upTo: (ends.min() ?? bound) / 1000)
    }

    /// Folds everything: no message will follow.
    package mutating func finish() -> [Result] {
        guard let newest else { return [] }
        for index in timelines.indices { _ = timelines[index].settle(upTo: .max) }
        var results = fold(upTo: (newest + 999) / 1000)
        results += take(registry.endAll(at: newest / 1000))
        return results + close(decidedThrough: .max)
    }

    /// The minutes that are not final, by present knowledge.
    package func provisional() -> [QueuePeriod] {
        var copy = self
        return copy.finish().compactMap { result in
            guard case .period(let period) = result else { return nil }
            return period
        }
    }

    /// The newest time of any window, in milliseconds since the epoch.
    package var newest: Int64? { timelines.compactMap(\.newest).max() }

    /// Each queue's line at the end of the last folded second.
    package var views: [LineView] {
        guard let next else { return [] }
        return accounts.indices.map { registry.view(queue: $0, at: next - 1) }
    }

    /// Stays of each queue by the kind of their tag.
    package var counts: [TagCounts] { accounts.map(\.counts) }

    private mutating func fold(upTo end: Int64) -> [Result] {
        var results: [Result] = []
        while let second = next ?? oldestSecond(), second < end {
            if let start = oldestSecond(), start - second > Self.longestSilence {
                results += skip(second, to: min(start, end))
                continue
            }
            results += fold(second)
            next = second + 1
        }
        return results
    }

    private mutating func fold(_ second: Int64) -> [Result] {
        let states = timelines.indices.map { gateway in
            var state = timelines[gateway].second(second)
            learning[gateway].on(&state)
            return state
        }
        let results = take(registry.on(states, at: second))
        for queue in accounts.indices {
            let isBusy = registry.inLine(queue: queue) > 0
            accounts[queue].on(states, at: second, isBusy: isBusy)
            if (second + 1) % Forecaster.period == 0 {
                accounts[queue].forecast(registry.view(queue: queue, at: second))
            }
        }
        guard (second + 1) % 60 == 0 else { return results }
        return results + close(decidedThrough: second + 1 - Int64(LevelHistory.reach))
    }

    /// Passes a time in which no gateway was heard.
    private mutating func skip(_ second: Int64, to start: Int64) -> [Result] {
        let results = take(registry.endAll(at: second))
        for queue in accounts.indices { accounts[queue].skip(second..<start) }
        next = start
        return results + close(decidedThrough: start)
    }

    private mutating func take(_ stays: [TagRegistry.FinalStay]) -> [Result] {
        stays.compactMap { stay in accounts[stay.queue].on(stay).map { .visit($0) } }
    }

    private mutating func close(decidedThrough second: Int64) -> [Result] {
        accounts.indices.flatMap { queue in
            let undecided = registry.undecidedSince(queue: queue) ?? second
            return accounts[queue].close(decidedThrough: min(second, undecided))
                .map { Result.period($0) }
        }
    }

    /// The second of the oldest window that is not folded.
    private mutating func oldestSecond() -> Int64? {
        timelines.indices.compactMap { timelines[$0].oldest() }.min().map { $0 / 1000 }
    }
}
