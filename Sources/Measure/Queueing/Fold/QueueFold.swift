import Facts
import Primitives

/// The fold over the seconds of a site's gateways: messages fill the gateways' timelines, and the fold consumes them.
///
/// It is a value. A copy goes on from the same second, so that a copy can run ahead of the final results.
struct QueueFold {
    private var timelines: [GatewayTimeline]
    private var learning: [LearningTime]
    private var registry: TagRegistry
    /// That of the calibrations.
    private var mode: ShoppingMode
    private(set) var accounts: [QueueAccount]
    private(set) var strips: [GatewayStrip]
    /// The next second to fold; `nil` before the first.
    private(set) var next: UnixSecond?
    /// Whether the last call has left seconds to the next one.
    private(set) var isBehind = false
    private var released = ReleasedWindows()
    /// Empty in the final fold.
    var offline = OfflineTimes()
    /// The time since the last second about which a message says anything.
    private var silence = Duration.zero

    /// After so long, all tags have left. Then nothing happens until the next window.
    private static let longestSilence = Duration.seconds(600)
    /// A longer silence has no more minutes: a wrong clock would make millions.
    private static let longestAccount = Duration.seconds(2 * 86_400)

    /// - Parameter watermarks: where the day before has ended, by gateway.
    init(
        _ layout: SiteLayout, levels: LearntLevels, watermarks: [String: Watermark] = [:],
        learning time: Duration
    ) {
        let gateways = layout.gateways
        accounts = layout.queues.map {
            QueueAccount($0, gateways: gateways, levels[queue: $0.name])
        }
        timelines = gateways.map {
            var timeline = GatewayTimeline(watermarks[$0]?.ofDayBefore ?? Watermark())
            timeline.isFinal = true
            return timeline
        }
        learning = gateways.map { LearningTime(levels[$0]?.learning ?? time) }
        strips = gateways.map { GatewayStrip(gateway: $0) }
        registry = TagRegistry(
            close: gateways.map { levels[$0]?.close ?? CloseLevel() }, shopping: levels.shopping,
            roles: accounts.map(\.roles),
            overtaken: layout.queues.map { queue in
                let learnt = levels[queue: queue.name]
                return learnt?.tills == queue.till.count ? learnt?.overtaken : nil
            },
            visitorsAreNamed: !layout.beacons.visitor.isEmpty)
        mode = levels.shopping.mode
    }

    mutating func take(_ window: WindowFact, from gateway: Int) -> FactOutcome {
        timelines[gateway].take(window)
    }

    /// - Returns: whether it is new; `nil` where there is no such till.
    mutating func take(_ receipt: Receipt, queue: String) -> Bool? {
        guard let index = accounts.firstIndex(where: { $0.name == queue }) else { return nil }
        return accounts[index].take(receipt)
    }

    /// How far each gateway is known.
    var watermarks: [String: Watermark] {
        Dictionary(
            zip(strips.map(\.gateway), timelines.map(\.watermark)), uniquingKeysWith: { $1 })
    }

    /// The newest time of any window.
    var newest: UnixTime? { timelines.compactMap(\.newest).max() }

    /// The memory of the windows that are not folded, in bytes.
    var pendingBytes: Int { timelines.reduce(0) { $0 + $1.pendingBytes } }

    /// The first second that is not folded.
    func firstUnfolded() -> UnixSecond? { next ?? oldestSecond() }

    /// Whether a message has arrived that says something about a folded second.
    var isOutdated: Bool { timelines.contains(where: \.isOutdated) }

    /// A copy that goes on by itself.
    ///
    /// - Parameter isPresent: whether it is for the present.
    func copy(isPresent: Bool) -> QueueFold {
        var copy = self
        for index in timelines.indices {
            copy.timelines[index] = timelines[index].copy(isPresent: isPresent)
        }
        return copy
    }

    /// Folds the seconds that all gateways have passed, and by force those before `bound`.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    mutating func advance(
        settling bound: UnixTime, atMost limit: Duration? = nil
    ) -> [QueueEstimator.Result] {
        let (end, isBlocked) = settle(upTo: bound)
        return fold(upTo: UnixSecond(containing: end), atMost: limit, isBlocked: isBlocked)
    }

    /// Folds everything: no message will follow.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    mutating func finish(atMost limit: Duration? = nil) -> [QueueEstimator.Result] {
        guard let newest else { return [] }
        let (end, isBlocked) = settle(upTo: .max)
        let last =
            isBlocked ? UnixSecond(containing: min(end, newest)) : UnixSecond(notBefore: newest)
        var results = fold(upTo: last, atMost: limit, isBlocked: isBlocked)
        guard !isBehind, let last = next?.advanced(by: -1) else { return results }
        results += take(registry.endAll(calibrations, at: last))
        return results + close(decidedThrough: .never)
    }

    /// Moves the watermarks.
    ///
    /// - Returns: how far all gateways are known, and whether that depends on a window in the owner's store.
    private mutating func settle(upTo bound: UnixTime) -> (end: UnixTime, isBlocked: Bool) {
        let ends = timelines.indices.map { timelines[$0].settle(upTo: bound) }
        let end = ends.min() ?? bound
        return (end, zip(timelines, ends).contains { $0.isBlocked && $1 == end })
    }

    // MARK: Windows in the store

    /// Gives up windows that start before `time`, if they have more than `bytes`. The owner can read them again.
    mutating func release(before time: UnixTime, ifAbove bytes: Int) {
        if pendingBytes > bytes { released.release(before: time, of: &timelines) }
    }

    /// The starts of released windows without which the fold can't go on; `nil` if it can.
    var wanted: Range<UnixTime>? { released.wanted }

    /// Takes back released windows: all that the owner has in `span`.
    mutating func restore(
        _ windows: [(gateway: Int, window: WindowFact)], in span: Range<UnixTime>
    ) {
        released.restore(windows, in: span, to: &timelines)
    }

    // MARK: Results

    /// Each queue at the end of the last folded second.
    var now: [QueueNow] {
        next == nil ? unknown : zip(accounts, views).map { $0.now($1, strips) }
    }

    /// Each queue without any knowledge.
    var unknown: [QueueNow] { accounts.map { $0.unknown(strips) } }

    /// The minutes that are not final, by present knowledge.
    ///
    /// - Parameter closed: those that this copy of the final fold has closed.
    func provisional(after closed: [QueuePeriod] = []) -> [QueuePeriod] {
        zip(accounts, views).flatMap { $0.provisional($1, after: closed) }
    }

    /// Seconds of tags that were left out because too many were present at one time, or known.
    var refusedTagSeconds: Int { registry.refused }

    /// Each queue's line at the end of the last folded second.
    var views: [LineView] {
        next.map { views(at: $0.advanced(by: -1)) } ?? []
    }

    private func views(at second: UnixSecond) -> [LineView] {
        registry.views(at: second, calibrations)
    }

    /// Of the queues.
    private var calibrations: [PresenceCalibration] { accounts.map(\.calibration) }

    /// What the gateways have learnt until now.
    var learntLevels: LearntLevels {
        var levels = LearntLevels()
        levels.shopping = registry.evidence
        for (index, strip) in strips.enumerated() {
            levels[strip.gateway] = LearntLevels.Gateway(
                close: registry.close.gateways[index], learning: learning[index].rest)
        }
        for (queue, account) in accounts.enumerated() {
            levels[queue: account.name] = LearntLevels.Queue(
                presence: account.calibration, recognition: account.recognition,
                overtaken: registry.overtaken(queue: queue), tills: account.layout.till.count)
        }
        return levels
    }

    private mutating func fold(
        upTo bound: UnixSecond, atMost limit: Duration?, isBlocked: Bool
    ) -> [QueueEstimator.Result] {
        isBehind = false
        released.need(false)
        guard let first = firstUnfolded() else { return [] }
        let end = limit.map { min(bound, first + $0) } ?? bound
        var results: [QueueEstimator.Result] = []
        while let second = next ?? oldestSecond(), second < end {
            if let oldest = released.oldest, oldest < second.span.upperBound {
                released.need(true)
                break
            }
            let start = min(oldestSecond() ?? end, end)
            if silence >= Self.longestSilence, start > second {
                results += skip(second..<start)
                next = start
            } else {
                results += fold(second)
                next = second.next
            }
        }
        if isBlocked, end == bound { released.need(true) }
        isBehind = released.wanted != nil || end < bound
        return results
    }

    private mutating func fold(_ second: UnixSecond) -> [QueueEstimator.Result] {
        var states = timelines.indices.map { gateway in
            var state = timelines[gateway].second(second)
            learning[gateway].on(&state)
            strips[gateway].isOffline = offline.contains(second, of: gateway)
            if strips[gateway].isOffline { state.isAwaited = false }
            return state
        }
        var results = take(registry.on(states, calibrations, at: second))
        for gateway in states.indices {
            if registry.isInDoubt { states[gateway].markAsLearning() }
            strips[gateway].add(GatewayStrip.State(states[gateway]), second..<second.next)
        }
        silence = states.allSatisfy(\.isSilent) ? silence + .seconds(1) : .zero
        if silence == Self.longestSilence {
            results += take(registry.endAll(calibrations, at: second))
        }
        for queue in accounts.indices {
            accounts[queue].on(
                states, strips, at: second, isBusy: registry.isBusy(queue: queue),
                isUnseen: registry.isUnseen(queue: queue, at: second))
        }
        if second.next.isMultiple(of: Forecaster.period) {
            for (queue, view) in views(at: second).enumerated() {
                accounts[queue].forecast(view)
            }
        }
        guard second.next.isMultiple(of: QueuePeriod.step) else { return results }
        return results + close(decidedThrough: second.next.advanced(by: -LevelHistory.reach))
    }

    /// Passes a time without any window, in which all tags have left.
    private mutating func skip(_ seconds: Range<UnixSecond>) -> [QueueEstimator.Result] {
        registry.skip(seconds)
        let states = timelines.indices.map { timelines[$0].skip(seconds) }
        for gateway in strips.indices {
            strips[gateway].add(GatewayStrip.State(states[gateway]), seconds)
        }
        let rest = max(.zero, Self.longestAccount - silence)
        let accounted = seconds.prefix(Int(rest.wholeSeconds))
        if !accounted.isEmpty {
            for queue in accounts.indices { accounts[queue].skip(accounted, states, strips) }
        }
        silence += seconds.duration
        return close(decidedThrough: seconds.upperBound.floored(to: QueuePeriod.step))
    }

    private mutating func take(_ stays: [TagRegistry.FinalStay]) -> [QueueEstimator.Result] {
        let ordered = stays.sorted { $0.stay.precedes($1.stay) }
        defer { followMode() }
        return ordered.compactMap { stay in accounts[stay.queue].on(stay).map { .visit($0) } }
    }

    /// The calibrations begin anew where people have shown another shopping mode.
    private mutating func followMode() {
        guard registry.evidence.mode != mode else { return }
        mode = registry.evidence.mode
        for queue in accounts.indices { accounts[queue].forgetCalibration() }
    }

    private mutating func close(decidedThrough second: UnixSecond) -> [QueueEstimator.Result] {
        accounts.indices.flatMap { queue in
            let undecided = registry.undecidedSince(queue: queue) ?? second
            return accounts[queue].close(decidedThrough: min(second, undecided))
                .map { QueueEstimator.Result.period($0) }
        }
    }

    /// The second of the oldest window that is not folded.
    private func oldestSecond() -> UnixSecond? {
        (timelines.map(\.oldest) + [released.oldest]).compactMap(\.self).min()
            .map(UnixSecond.init(containing:))
    }
}
