/// One queue: its final visits, and its minutes until they are final.
///
/// A minute is final once no visit in it can change.
struct QueueAccount {
    let layout: QueueLayout
    let roles: QueueRoles
    /// Final visits that a minute to come still needs.
    private var visits: [Visit] = []
    private var open: [OpenPeriod] = []
    private(set) var forecaster = Forecaster()
    private(set) var calibration: PresenceCalibration
    private(set) var little = LittleCheck()
    private(set) var condition = QueueCondition()
    private(set) var recent = RecentLine()
    private(set) var counts = TagCounts()
    private(set) var receipts: ReceiptLedger
    /// The last second in which a person may have joined or left unseen.
    private var lastUnseen: UnixSecond?
    /// The end of the last final minute; `nil` before it.
    private(set) var closedThrough: UnixSecond?

    init(_ layout: QueueLayout, gateways: [String], _ calibration: PresenceCalibration) {
        self.layout = layout
        self.calibration = calibration
        receipts = ReceiptLedger(tills: layout.till.count)
        roles = QueueRoles(layout, gateways: gateways)
    }

    var name: String { layout.name }

    /// Adds a second.
    ///
    /// - Parameters:
    ///   - isBusy: whether the line was not empty.
    ///   - isUnseen: whether a person may have joined unseen.
    mutating func on(
        _ states: [GatewaySecond], _ strips: [GatewayStrip], at second: UnixSecond, isBusy: Bool,
        isUnseen: Bool
    ) {
        condition.on(strips, roles, isEmpty: !isBusy, at: second)
        receipts.add(unknown: second..<second.next) { !roles.isKnown(states, till: $0) }
        openPeriod(at: second)
        if isUnseen { lastUnseen = second }
        open[open.count - 1].add(states, roles, isUnseen: isUnseen)
    }

    /// - Returns: whether it is new; `nil` where the queue has no such till.
    mutating func take(_ receipt: Receipt) -> Bool? {
        guard let till = layout.till.firstIndex(of: receipt.till) else { return nil }
        return receipts.take(receipt.count, till: till, at: receipt.at)
    }

    /// Makes the forecast that a person who joins after `view.second` would read.
    mutating func forecast(_ view: LineView) {
        forecaster.forecast(view)
        guard !open.isEmpty else { return }
        open[open.count - 1].add(view.moment)
        open[open.count - 1].add(
            forecaster.latest, target: layout.targetWait, isBusy: view.length > 0,
            isHidden: hiddenSince(view) != nil)
    }

    /// The calibration belongs to the models of one approach.
    mutating func forgetCalibration() { calibration = PresenceCalibration() }

    /// Adds a time in which no gateway of the site was heard.
    mutating func skip(_ seconds: Range<UnixSecond>, _ strips: [GatewayStrip]) {
        receipts.add(unknown: seconds) { _ in true }
        lastUnseen = seconds.last
        var second = seconds.lowerBound
        while second < seconds.upperBound {
            let next = second.floored(to: QueuePeriod.step) + QueuePeriod.step
            let end = min(seconds.upperBound, next)
            openPeriod(at: second)
            open[open.count - 1].add(unknown: second..<end)
            second = end
        }
        condition.on(strips, roles, isEmpty: true, at: seconds.upperBound.advanced(by: -1))
    }

    private mutating func openPeriod(at second: UnixSecond) {
        if second.isMultiple(of: QueuePeriod.step) || open.last?.seconds.upperBound != second {
            open.append(OpenPeriod(start: second, gateways: layout.gateways))
        }
    }

    /// Takes a final stay.
    ///
    /// - Returns: the visit; `nil` for a tag that is no visitor's.
    mutating func on(_ final: TagRegistry.FinalStay) -> Visit? {
        counts.add(final.kind)
        guard final.kind == .visitor else { return nil }
        let visit = Visit(queue: name, tag: final.tag, final.stay)
        visits.append(visit)
        recent.add(visit)
        receipts.add(visit)
        forecaster.on(visit)
        return visit
    }

    /// The periods that are final once all visits before `second` are.
    mutating func close(decidedThrough second: UnixSecond) -> [QueuePeriod] {
        let ready = open.prefix { $0.seconds.upperBound <= second }
        open.removeFirst(ready.count)
        return ready.map { close($0) }
    }

    /// The visits of a view: those that go on end never.
    func visits(of view: LineView) -> [Visit] {
        (view.left + view.inLine).map { Visit(queue: name, tag: $0.tag, $0.stay) }
    }

    /// The open periods by the knowledge of `view`, without its doubt.
    func openPeriods(_ view: LineView) -> [QueuePeriod] {
        var copy = self
        copy.visits += visits(of: view)
        var periods = copy.close(decidedThrough: .never)
        // At the present, also tags are known that may be in line, or not.
        if let last = periods.indices.last, periods[last].seconds.upperBound == view.second.next {
            periods[last].line.atEnd = view.tags
        }
        return periods
    }

    private mutating func close(_ period: OpenPeriod) -> QueuePeriod {
        let seconds = period.seconds
        let inside = visits.filter {
            $0.entered.second < seconds.upperBound && $0.left.second > seconds.lowerBound
        }
        let lengths = period.lengths(inside)
        for (moment, length) in period.moments(lengths) { calibration.add(moment, length: length) }
        little.add(lengths: lengths, inside, seconds)
        visits.removeAll { $0.left.second <= seconds.upperBound }
        closedThrough = seconds.upperBound
        let closed = QueuePeriod(
            queue: name, seconds: seconds, known: period.known, unseen: period.unseen,
            isDoubtful: period.isDoubtful(lastUnseen: lastUnseen), gateways: period.gateways,
            line: period.statistics(inside, lengths: lengths), forecast: period.forecast,
            scores: forecaster.takeScores(before: seconds.upperBound),
            overTarget: period.overTarget, coverage: layout.coverage,
            littleResidual: little.residual)
        recent.add(closed)
        return closed
    }
}
