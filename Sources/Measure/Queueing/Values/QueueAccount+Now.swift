import Facts

extension QueueAccount {
    /// The queue at the end of `view.second`.
    func now(_ view: LineView, _ strips: [GatewayStrip]) -> QueueNow {
        let end = view.second.next
        let periods = recent.minutes + openPeriods(view)
        let since = end - RecentLine.horizon
        let known = periods.filter { $0.seconds.lowerBound >= since && $0.state != .unknown }
        let leavers = leavers(view)
        let measured = leavers.filter(\.isMeasured)
        let hidden = hiddenSince(view, measured)
        let state = state(isDoubtful: hidden != nil, view)
        let coverage = coverage(at: end)
        let line = QueueNow.Line(
            tags: view.length, length: LengthInterval(view.tags, coverage),
            forecast: forecaster.latest,
            leavers: QueueNow.Leavers(leavers, coverage, recognition.recall),
            perHour: perHour(leavers, in: known),
            openTills: OpenTills.count(measured, length: view.length, at: end))
        return QueueNow(
            queue: name, at: end, state: state, since: condition.since,
            reasons: reasons(state, hidden, at: view.second, strips),
            line: state == .unknown ? nil : line,
            trend: trend(
                doubted(periods, hidden), before: end, share: coverage?.share ?? 1),
            tills: layout.till.count,
            coverage: coverage, targetWait: layout.targetWait,
            littleResidual: minutes.little.residual)
    }

    /// The minutes that are not final, by the knowledge of `view`.
    ///
    /// - Parameter closed: those that are no longer open.
    func provisional(_ view: LineView, after closed: [QueuePeriod]) -> [QueuePeriod] {
        doubted(closed.filter { $0.queue == name } + openPeriods(view), hiddenSince(view))
    }

    /// The periods, with the doubt of the present: since then, a gateway does not hear, or a person is hidden.
    private func doubted(_ periods: [QueuePeriod], _ hidden: UnixSecond?) -> [QueuePeriod] {
        let fault = condition.state == .ok ? nil : condition.since
        let start = [hidden, fault].compactMap(\.self).min()
        return periods.map { $0.doubted(since: start) }
    }

    /// The visits of the last hour, by the knowledge of `view`, that are not final in an account that is behind.
    func provisionalVisits(_ view: LineView, besides final: QueueAccount) -> [Visit] {
        let known = recent.visits + visits(of: view).filter { $0.left != .never }
        return known.filter { !final.recent.visits.contains($0) }
    }

    /// Those who left in the last half hour.
    private func leavers(_ view: LineView) -> [Visit] {
        let since = view.second.next - RecentLine.horizon
        return recent.visits(since: since)
            + visits(of: view).filter { $0.left != .never && $0.left.second > since }
    }

    /// The beginning of the faults that hide a person; `nil` without a hidden one.
    func hiddenSince(_ view: LineView) -> UnixSecond? {
        hiddenSince(view, leavers(view).filter(\.isMeasured))
    }

    private func hiddenSince(_ view: LineView, _ served: [Visit]) -> UnixSecond? {
        view.isDoubtful(served: served, tills: layout.till.count) ? view.faultsSince : nil
    }

    /// A line that is heard in part may have people in the other part. Without anybody in line, nothing is known then.
    private func state(isDoubtful: Bool, _ view: LineView) -> QueuePeriod.State {
        guard isDoubtful || condition.state == .degraded else { return condition.state }
        let isBusy = view.length > 0 && condition.isSteadilyBusy(at: view.second)
        return isBusy && condition.state != .unknown ? .degraded : .unknown
    }

    /// A throughput needs so much known time of the last half hour.
    private static let leastKnown = Duration.seconds(300)

    /// Those who were served in the known minutes, an hour of these; `nil` where they are too few.
    private func perHour(_ leavers: [Visit], in minutes: [QueuePeriod]) -> QueueNow.Rate? {
        let time = minutes.reduce(.zero) { $0 + $1.known }
        guard time >= Self.leastKnown else { return nil }
        let served = leavers.filter { visit in
            let left = visit.left.second
            return visit.end == .served
                && minutes.contains {
                    $0.seconds.lowerBound < left && left <= $0.seconds.upperBound
                }
        }
        let people = LengthInterval(TagsInLine(served, recall: recognition.recall), nil)
        let rate = { (number: Double) in number * 3_600_000 / Double(time.milliseconds) }
        return QueueNow.Rate(
            perHour: rate(people.estimate), low: rate(Double(people.low)),
            high: rate(Double(people.high)))
    }

    /// The faults of a queue that is not `ok`: they go on, have just ended, or hid a person who is still near.
    ///
    /// - Parameter faults: the beginning of those that have hidden a person.
    private func reasons(
        _ state: QueuePeriod.State, _ faults: UnixSecond?, at second: UnixSecond,
        _ strips: [GatewayStrip]
    ) -> [QueueNow.Reason] {
        guard state != .ok else { return [] }
        let recent = second - QueueCondition.recovery
        let start = min(faults ?? recent, recent)
        let reasons = roles.all.compactMap { gateway -> QueueNow.Reason? in
            let isHearing = strips[gateway].isHearing(at: second)
            guard let fault = strips[gateway].lastFault,
                !isHearing || fault.seconds.upperBound > start
            else { return nil }
            return QueueNow.Reason(
                gateway: strips[gateway].gateway, cause: .init(fault.state),
                since: fault.seconds.lowerBound,
                until: isHearing ? fault.seconds.upperBound : nil)
        }
        return reasons.isEmpty ? interruptions(strips) : reasons
    }

    /// The gateways that do not hear at this moment: interruptions that are too short for a fault.
    private func interruptions(_ strips: [GatewayStrip]) -> [QueueNow.Reason] {
        roles.all.compactMap { gateway in
            guard let run = strips[gateway].runs.last, !run.state.isHearing else { return nil }
            return QueueNow.Reason(
                gateway: strips[gateway].gateway, cause: .init(run.state),
                since: run.seconds.lowerBound, until: nil)
        }
    }

    /// The queue without any knowledge.
    func unknown(_ strips: [GatewayStrip]) -> QueueNow {
        QueueNow(
            queue: name, at: nil, state: .unknown, since: nil,
            reasons: roles.all.map {
                QueueNow.Reason(
                    gateway: strips[$0].gateway, cause: .unknown, since: nil, until: nil)
            }, line: nil, trend: [],
            tills: layout.till.count, coverage: layout.coverage.map { Coverage($0) },
            targetWait: layout.targetWait, littleResidual: .zero)
    }

    /// The share of people with a beacon: compared with receipts where there are enough, else as configured.
    private func coverage(at second: UnixSecond) -> Coverage? {
        let totals = receipts.totals(before: second)
        return Coverage(people: totals.people, tags: totals.tags, prior: layout.coverage)
            ?? layout.coverage.map { Coverage($0) }
    }

    /// - Parameter share: of people with a beacon.
    private func trend(
        _ periods: [QueuePeriod], before end: UnixSecond, share: Double
    ) -> [QueueNow.Minute] {
        let last = end.floored(to: QueuePeriod.step)
        let lengths = Dictionary(
            periods.map {
                ($0.seconds.lowerBound, $0.state == .unknown ? nil : $0.line.sums.meanLength)
            },
            uniquingKeysWith: { $1 })
        let minute = Int(QueuePeriod.step.wholeSeconds)
        return stride(from: last - RecentLine.horizon, to: last, by: minute).map { start in
            QueueNow.Minute(start: start, length: (lengths[start] ?? nil).map { $0 / share })
        }
    }
}

extension QueueNow.Leavers {
    fileprivate init(_ visits: [Visit], _ coverage: Coverage?, _ recall: Double) {
        let waits = WaitStatistics(visits.filter(\.isMeasured).map(\.wait))
        let served = visits.filter { $0.end == .served }
        let interval = { (share: Double) in
            QuantileInterval(share, of: waits.sorted, served: served.count, coverage)
        }
        self.init(
            served: LengthInterval(TagsInLine(served, recall: recall), nil),
            abandoned: visits.count { $0.end == .abandoned }, waits: waits,
            median: interval(0.5),
            p90: interval(0.9))
    }
}

/// How many tills serve: those at which a visit ended within the last minutes.
enum OpenTills {
    /// Longer than a service takes.
    private static let horizon = Duration.seconds(300)

    /// - Parameters:
    ///   - leavers: visits that were served.
    ///   - length: tags in line. At least one till serves them.
    static func count(_ leavers: [Visit], length: Int, at second: UnixSecond) -> Int {
        let recent = leavers.filter { $0.left.second > second - horizon }
        return max(Set(recent.compactMap(\.till)).count, length > 0 ? 1 : 0)
    }
}
