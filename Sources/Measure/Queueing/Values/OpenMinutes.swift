import Facts

/// The minutes of one queue until they are final, and the final visits that they still need.
///
/// A minute is final once no visit in it can change.
struct OpenMinutes {
    private let layout: QueueLayout
    private var visits: [Visit] = []
    /// Stays that were judged to be no visits, but may be some.
    private var undecided: [Visit] = []
    private var periods: [OpenPeriod] = []
    private(set) var little = LittleCheck()
    /// The last second in which a person may have joined or left unseen.
    private var lastUnseen: UnixSecond?
    /// The end of the last final minute; `nil` before it.
    private(set) var closedThrough: UnixSecond?

    init(_ layout: QueueLayout) { self.layout = layout }

    /// Adds a final visit.
    mutating func add(_ visit: Visit) { visits.append(visit) }

    /// Adds a stay that is probably no visit.
    mutating func add(undecided stay: Visit) { undecided.append(stay) }

    /// Adds a second.
    ///
    /// - Parameter isUnseen: whether a person may have joined unseen.
    mutating func add(
        _ states: [GatewaySecond], _ roles: QueueRoles, at second: UnixSecond, isUnseen: Bool
    ) {
        if isUnseen { lastUnseen = second }
        openPeriod(at: second)
        periods[periods.count - 1].add(states, roles, isUnseen: isUnseen)
    }

    /// Adds a time about which no message says anything.
    ///
    /// - Parameter states: of each of its seconds.
    mutating func add(
        silent seconds: Range<UnixSecond>, _ states: [GatewaySecond], _ roles: QueueRoles
    ) {
        lastUnseen = seconds.last
        var second = seconds.lowerBound
        while second < seconds.upperBound {
            let next = second.floored(to: QueuePeriod.step) + QueuePeriod.step
            let end = min(seconds.upperBound, next)
            openPeriod(at: second)
            periods[periods.count - 1].add(silent: second..<end, states, roles)
            second = end
        }
    }

    /// Takes the line at the end of ten seconds, and the forecast for a person who joins then.
    ///
    /// - Parameter isHidden: whether a tag is near that may have joined unseen.
    mutating func add(_ view: LineView, _ forecast: Forecast?, isHidden: Bool) {
        guard !periods.isEmpty else { return }
        periods[periods.count - 1].add(view.moment)
        periods[periods.count - 1].add(
            forecast, target: layout.targetWait, isBusy: view.length > 0, isHidden: isHidden,
            somebody: view.tags.somebody)
    }

    /// The lines of the open minutes are no measure of other models.
    mutating func forgetMoments() {
        for index in periods.indices { periods[index].forgetMoments() }
    }

    private mutating func openPeriod(at second: UnixSecond) {
        if second.isMultiple(of: QueuePeriod.step) || periods.last?.seconds.upperBound != second {
            periods.append(OpenPeriod(start: second, gateways: layout.gateways))
        }
    }

    /// Closes the minutes that are final once all visits before `second` are.
    mutating func close(
        decidedThrough second: UnixSecond, _ forecaster: inout Forecaster,
        _ calibration: inout PresenceCalibration, recall: Double
    ) -> [QueuePeriod] {
        let ready = periods.prefix { $0.seconds.upperBound <= second }
        periods.removeFirst(ready.count)
        return ready.map { close($0, &forecaster, &calibration, recall) }
    }

    private mutating func close(
        _ period: OpenPeriod, _ forecaster: inout Forecaster,
        _ calibration: inout PresenceCalibration, _ recall: Double
    ) -> QueuePeriod {
        let seconds = period.seconds
        let inside = visits.filter {
            $0.entered.second < seconds.upperBound && $0.left.second > seconds.lowerBound
        }
        let lengths = period.lengths(inside)
        let isDoubtful = period.isDoubtful(lastUnseen: lastUnseen)
        if !isDoubtful {
            for (moment, length) in period.moments(lengths) {
                calibration.add(moment, length: length)
            }
        }
        little.add(lengths: lengths, inside, seconds)
        let atEnd = TagsInLine(
            inside.filter { $0.left.second > seconds.upperBound },
            undecided: undecided.filter {
                $0.entered.second < seconds.upperBound && $0.left.second > seconds.upperBound
            }, somebody: period.somebodyAtEnd, recall: recall)
        visits.removeAll { $0.left.second <= seconds.upperBound }
        undecided.removeAll { $0.left.second <= seconds.upperBound }
        closedThrough = seconds.upperBound
        return QueuePeriod(
            queue: layout.name, seconds: seconds, known: period.known, unseen: period.unseen,
            isDoubtful: isDoubtful, gateways: period.gateways,
            line: period.statistics(inside, lengths: lengths, atEnd), forecast: period.forecast,
            scores: forecaster.takeScores(before: seconds.upperBound),
            overTarget: period.overTarget, coverage: layout.coverage,
            littleResidual: little.residual)
    }
}

/// Little's identity: the integral of the length equals the sum of the times in line.
///
/// Both sides are counted independently. A residual other than 0 is a fault of the program.
struct LittleCheck {
    /// Side one: the length, added up second by second.
    private var integral = Duration.zero
    /// Side two: the waits of all who have left.
    private var waits = Duration.zero
    /// And the time so far of those who are in line.
    private var elapsed = Duration.zero

    /// Adds a period that has become final.
    ///
    /// - Parameters:
    ///   - lengths: the length in each second.
    ///   - visits: those that overlap the period.
    mutating func add(lengths: [Int], _ visits: [Visit], _ period: Range<UnixSecond>) {
        integral += .seconds(lengths.reduce(0, +))
        elapsed = .zero
        for visit in visits {
            if visit.left.second <= period.upperBound {
                waits += visit.wait
            } else {
                elapsed += period.upperBound - visit.entered.second
            }
        }
    }

    var residual: Duration { integral - waits - elapsed }
}
