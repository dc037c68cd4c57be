import Facts

/// One queue: what its visits and minutes have shown, and the minutes that are not final.
struct QueueAccount {
    let layout: QueueLayout
    let roles: QueueRoles
    private(set) var minutes: OpenMinutes
    private(set) var forecaster = Forecaster()
    private(set) var calibration: PresenceCalibration
    private(set) var recognition: Recognition
    private(set) var condition = QueueCondition()
    private(set) var recent = RecentLine()
    private(set) var counts = TagCounts()
    private(set) var receipts: ReceiptLedger

    init(_ layout: QueueLayout, gateways: [String], _ learnt: LearntLevels.Queue?) {
        self.layout = layout
        calibration = learnt?.presence ?? PresenceCalibration()
        recognition = learnt?.recognition ?? Recognition()
        minutes = OpenMinutes(layout)
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
        if isUnseen { forecaster.note(unseen: second..<second.next) }
        minutes.add(states, roles, at: second, isUnseen: isUnseen)
    }

    /// - Returns: whether it is new; `nil` where the queue has no such till.
    mutating func take(_ receipt: Receipt) -> Bool? {
        guard let till = layout.till.firstIndex(of: receipt.till).map(TillIndex.init) else {
            return nil
        }
        return receipts.take(receipt.count, till: till, at: receipt.at)
    }

    /// Makes the forecast that a person who joins after `view.second` would read.
    mutating func forecast(_ view: LineView) {
        forecaster.forecast(view)
        minutes.add(view, forecaster.latest, isHidden: hiddenSince(view) != nil)
    }

    /// The calibration belongs to the models of one shopping mode.
    mutating func forgetCalibration() {
        calibration = PresenceCalibration()
        minutes.forgetMoments()
    }

    /// Adds a time about which no message says anything.
    ///
    /// - Parameter states: of each of its seconds.
    mutating func skip(
        _ seconds: Range<UnixSecond>, _ states: [GatewaySecond], _ strips: [GatewayStrip]
    ) {
        receipts.add(unknown: seconds) { _ in true }
        forecaster.note(unseen: seconds)
        minutes.add(silent: seconds, states, roles)
        condition.on(strips, roles, isEmpty: true, at: seconds.upperBound.advanced(by: -1))
    }

    /// Takes a final stay.
    ///
    /// - Returns: the visit; `nil` for another stay, or a tag that is no visitor's.
    mutating func on(_ final: TagRegistry.FinalStay) -> Visit? {
        if final.isVisit { counts.add(final.kind) }
        guard final.kind == .visitor else { return nil }
        let visit = Visit(queue: name, tag: final.tag, final.stay)
        recognition.add(visit)
        guard final.isVisit else {
            minutes.add(undecided: visit)
            return nil
        }
        minutes.add(visit)
        recent.add(visit)
        receipts.add(visit)
        forecaster.on(visit)
        return visit
    }

    /// The periods that are final once all visits before `second` are.
    mutating func close(decidedThrough second: UnixSecond) -> [QueuePeriod] {
        let closed = minutes.close(
            decidedThrough: second, &forecaster, &calibration, recall: recognition.recall)
        for period in closed { recent.add(period) }
        return closed
    }

    /// The visits of a view: those that go on end never.
    func visits(of view: LineView) -> [Visit] {
        (view.left + view.inLine).map { Visit(queue: name, tag: $0.tag, $0.stay) }
    }

    /// The open periods by the knowledge of `view`, without its doubt.
    func openPeriods(_ view: LineView) -> [QueuePeriod] {
        var (minutes, forecaster, calibration) = (minutes, forecaster, calibration)
        for visit in visits(of: view) { minutes.add(visit) }
        for stay in view.undecided {
            minutes.add(undecided: Visit(queue: name, tag: stay.tag, stay.stay))
        }
        var periods = minutes.close(
            decidedThrough: .never, &forecaster, &calibration, recall: recognition.recall)
        // At the present, also tags are known that may be in line, or not.
        if let last = periods.indices.last, periods[last].seconds.upperBound == view.second.next {
            periods[last].line.atEnd = view.tags
        }
        return periods
    }
}

/// The last hour of a queue: the final visits, and the final minutes. The queue at present tells of the last half.
struct RecentLine {
    /// The minutes that are final.
    private(set) var minutes: [QueuePeriod] = []
    /// The visits that are final, by the second of leaving.
    private(set) var visits: [Visit] = []

    /// The time that the results of the present tell of. Twice as much is kept: the last minutes are not final.
    static let horizon = Duration.seconds(1800)

    mutating func add(_ visit: Visit) { visits.append(visit) }

    mutating func add(_ period: QueuePeriod) {
        minutes.append(period)
        let start = period.seconds.upperBound - Self.horizon * 2
        minutes.removeAll { $0.seconds.upperBound <= start }
        visits.removeAll { $0.left.second < start }
    }

    /// The final visits that ended after `second`.
    func visits(since second: UnixSecond) -> [Visit] { visits.filter { $0.left.second > second } }
}

/// Final stays by the kind of their tag.
package struct TagCounts: Equatable, Sendable {
    package private(set) var byKind: [TagKind: Int] = [:]

    mutating func add(_ kind: TagKind) { byKind[kind, default: 0] += 1 }
}
