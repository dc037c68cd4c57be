import Facts
import Primitives

/// The fold of a site's seconds into visits and minutes of its queues.
struct QueueFold: SecondFold {
    var seconds: SiteSeconds
    private var learning: [LearningTime]
    private var registry: TagRegistry
    /// That of the calibrations.
    private var mode: ShoppingMode
    private(set) var accounts: [QueueAccount]
    private(set) var strips: [GatewayStrip]
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
        seconds = SiteSeconds(gateways.map { watermarks[$0]?.ofDayBefore ?? Watermark() })
        let surveyed = gateways.map { gateway in
            layout.closeLevels.first { $0.gateway == gateway }.map { Double($0.power) }
        }
        learning = zip(gateways, surveyed).map {
            LearningTime(levels[$0]?.learning ?? time, isSurveyed: $1 != nil)
        }
        let roles = accounts.map(\.roles)
        strips = gateways.map { GatewayStrip(gateway: $0) }
        registry = TagRegistry(
            close: CloseLevels(
                gateways.map { levels[$0]?.close ?? CloseLevel() }, surveyed: surveyed,
                roles: roles),
            shopping: levels.shopping, roles: roles,
            overtaken: layout.queues.map { queue in
                let learnt = levels[queue: queue.name]
                return learnt?.tills == queue.till.count ? learnt?.overtaken : nil
            },
            visitorsAreNamed: !layout.beacons.visitor.isEmpty)
        mode = levels.shopping.mode
    }

    mutating func take(_ receipt: Receipt, queue: String) -> FactOutcome {
        guard let index = accounts.firstIndex(where: { $0.name == queue }),
            let isNew = accounts[index].take(receipt)
        else { return .foreign }
        return isNew ? .new : .repeated
    }

    /// How far each gateway is known.
    var watermarks: [String: Watermark] {
        Dictionary(
            zip(strips.map(\.gateway), seconds.watermarks), uniquingKeysWith: { $1 })
    }

    // MARK: Results

    /// Each queue at the end of the last folded second.
    var now: [QueueNow] {
        seconds.next == nil ? unknown : zip(accounts, views).map { $0.now($1, strips) }
    }

    /// Each queue without any knowledge.
    var unknown: [QueueNow] { accounts.map { $0.unknown(strips) } }

    /// The minutes that are not final, by present knowledge.
    ///
    /// - Parameter results: what this copy has found beyond the final fold.
    func provisional(after results: [QueueEstimator.Result]) -> [QueuePeriod] {
        let closed = results.compactMap { result in
            if case .period(let period) = result { period } else { nil }
        }
        return zip(accounts, views).flatMap { $0.provisional($1, after: closed) }
    }

    /// Seconds of tags that were left out because too many were present at one time, or known.
    var refusedTagSeconds: Int { registry.refused }

    /// Each queue's line at the end of the last folded second.
    var views: [LineView] {
        seconds.next.map { views(at: $0.advanced(by: -1)) } ?? []
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
        for (queue, account) in zip(queues, accounts) {
            levels[queue: account.name] = LearntLevels.Queue(
                presence: account.calibration, recognition: account.recognition,
                overtaken: registry.overtaken(queue: queue), tills: account.layout.till.count)
        }
        return levels
    }

    // MARK: Folding

    mutating func on(
        _ states: [GatewaySecond], at second: UnixSecond, _ context: Void
    ) -> [QueueEstimator.Result] {
        var states = states
        for gateway in states.indices {
            learning[gateway].on(&states[gateway])
            strips[gateway].isOffline = seconds.offline.contains(second, of: gateway)
        }
        var results = take(registry.on(states, calibrations, at: second))
        for gateway in states.indices {
            if registry.isInDoubt { states[gateway].markAsLearning() }
            strips[gateway].add(GatewayStrip.State(states[gateway]), second..<second.next)
        }
        // After so long, all tags have left.
        if seconds.silence == SiteSeconds.longestSilence {
            results += take(registry.endAll(calibrations, at: second))
        }
        for queue in queues {
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

    mutating func skip(
        _ span: Range<UnixSecond>, _ states: [GatewaySecond]
    ) -> [QueueEstimator.Result] {
        registry.skip(span)
        for gateway in strips.indices {
            strips[gateway].add(GatewayStrip.State(states[gateway]), span)
        }
        let rest = max(.zero, Self.longestAccount - (seconds.silence - span.duration))
        let accounted = span.prefix(Int(rest.wholeSeconds))
        if !accounted.isEmpty {
            for queue in accounts.indices { accounts[queue].skip(accounted, states, strips) }
        }
        return close(decidedThrough: span.upperBound.floored(to: QueuePeriod.step))
    }

    mutating func end(at second: UnixSecond) -> [QueueEstimator.Result] {
        take(registry.endAll(calibrations, at: second)) + close(decidedThrough: .never)
    }

    /// Only minutes are kept of the copies: the visits of the present are computed from its tracks.
    func decided() -> (QueueEstimator.Result) -> Bool {
        let ends = Dictionary(
            accounts.map { ($0.name, $0.minutes.closedThrough) }, uniquingKeysWith: { $1 })
        return { result in
            guard case .period(let period) = result else { return true }
            return (ends[period.queue] ?? nil).map { period.seconds.lowerBound < $0 } ?? false
        }
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

    private var queues: Range<QueueIndex> { QueueIndex.all(of: accounts) }

    private mutating func close(decidedThrough second: UnixSecond) -> [QueueEstimator.Result] {
        queues.flatMap { queue in
            let undecided = registry.undecidedSince(queue: queue) ?? second
            return accounts[queue].close(decidedThrough: min(second, undecided))
                .map { QueueEstimator.Result.period($0) }
        }
    }
}
