/// One queue: its final visits, and its minutes until they are final.
///
/// A minute is final once no visit in it can change.
struct QueueAccount {
    private let layout: QueueLayout
    let roles: QueueRoles
    /// Final visits that a minute to come still needs.
    private var visits: [Visit] = []
    private var open: [OpenPeriod] = []
    private var forecaster = Forecaster()
    private var little = LittleCheck()
    private(set) var counts = TagCounts()

    init(_ layout: QueueLayout, gateways: [String]) {
        self.layout = layout
        roles = QueueRoles(layout, gateways: gateways)
    }

    /// Adds a second.
    ///
    /// - Parameter isBusy: whether the line was not empty.
    mutating func on(_ states: [GatewaySecond], at second: Int64, isBusy: Bool) {
        if second % 60 == 0 || open.last?.seconds.upperBound != second {
            open.append(OpenPeriod(start: second, gateways: layout.gateways))
        }
        open[open.count - 1].add(states, roles)
        if isBusy { forecaster.note(busyAt: second) }
    }

    /// Makes the forecast that a person who joins after `view.second` would read.
    mutating func forecast(_ view: LineView) {
        let forecast = forecaster.forecast(view)
        if !open.isEmpty { open[open.count - 1].forecast = forecast }
    }

    /// Adds a time in which no gateway of the site was heard.
    mutating func skip(_ seconds: Range<Int64>) {
        open.append(OpenPeriod(unknown: seconds, gateways: layout.gateways))
    }

    /// Takes a final stay.
    ///
    /// - Returns: the visit; `nil` for a tag that is no visitor's.
    mutating func on(_ final: TagRegistry.FinalStay) -> Visit? {
        counts.add(final.kind)
        guard final.kind == .visitor else { return nil }
        let visit = Visit(
            queue: layout.name, tag: final.tag, entered: final.stay.entered, left: final.stay.left,
            end: final.stay.end == .served ? .served : .abandoned, gain: final.stay.gain)
        visits.append(visit)
        forecaster.on(visit)
        return visit
    }

    /// The periods that are final once all visits before `second` are.
    mutating func close(decidedThrough second: Int64) -> [QueuePeriod] {
        let ready = open.prefix { $0.seconds.upperBound <= second }
        open.removeFirst(ready.count)
        return ready.map { close($0) }
    }

    /// What the open periods look like now, with visits that may still change.
    func provisional(_ more: [Visit]) -> [QueuePeriod] {
        var copy = self
        copy.visits += more
        return copy.close(decidedThrough: .max)
    }

    private mutating func close(_ period: OpenPeriod) -> QueuePeriod {
        let inside = visits.filter {
            $0.entered.second < period.seconds.upperBound
                && $0.left.second > period.seconds.lowerBound
        }
        let lengths = period.lengths(inside)
        little.add(lengths: lengths, inside, period.seconds)
        visits.removeAll { $0.left.second <= period.seconds.upperBound }
        return QueuePeriod(
            queue: layout.name, seconds: period.seconds, knownMs: period.knownMs,
            gateways: period.gateways, line: period.statistics(inside, lengths: lengths),
            forecast: period.forecast, coverage: layout.coverage,
            littleResidualMs: little.residualMs)
    }
}

/// Final stays by the kind of their tag.
package struct TagCounts: Equatable, Sendable {
    package private(set) var byKind: [TagKind: Int] = [:]

    mutating func add(_ kind: TagKind) { byKind[kind, default: 0] += 1 }
}
