import Facts

/// A period that is not final, with the known part of its time.
struct OpenPeriod {
    private(set) var seconds: Range<UnixSecond>
    /// The time in which entry and till were certainly both heard.
    private(set) var known = Duration.zero
    private(set) var gateways: [GatewayTime]
    /// Whether each second is known.
    private var isKnown: [Bool] = []
    /// The time in which a person may have joined unseen.
    private(set) var unseen = Duration.zero
    private var isUnseenAtEnd = false
    private var isHidden = false
    /// Whether a tag was in line at the end, by the knowledge of that moment.
    private var isBusyAtEnd = false
    /// That somebody was in line at the end, by the knowledge of that moment.
    private(set) var somebodyAtEnd = 0.0
    /// For a person who joins at the end.
    private(set) var forecast: Forecast?
    /// Lines of known seconds, by the knowledge of their moments.
    private var moments: [PresenceCalibration.Moment] = []
    /// The time in which a forecast was above the target; `nil` before there is one to compare.
    private(set) var overTarget: Duration?

    init(start: UnixSecond, gateways: [String]) {
        seconds = start..<start
        self.gateways = gateways.map { GatewayTime(gateway: $0) }
    }

    /// Adds the next second.
    ///
    /// - Parameter isUnseen: whether a person may have joined unseen.
    mutating func add(_ states: [GatewaySecond], _ roles: QueueRoles, isUnseen: Bool) {
        isUnseenAtEnd = isUnseen
        if isUnseen { unseen += .seconds(1) }
        seconds = seconds.lowerBound..<seconds.upperBound.next
        known += roles.known(states)
        isKnown.append(roles.isKnown(states))
        for (index, gateway) in roles.all.enumerated() { gateways[index].add(states[gateway]) }
    }

    /// Adds the next seconds, about which no message says anything.
    ///
    /// - Parameter states: of each of them.
    mutating func add(
        silent stretch: Range<UnixSecond>, _ states: [GatewaySecond], _ roles: QueueRoles
    ) {
        seconds = seconds.lowerBound..<stretch.upperBound
        isKnown += Array(repeating: false, count: stretch.count)
        unseen += stretch.duration
        isUnseenAtEnd = true
        for (index, gateway) in roles.all.enumerated() {
            gateways[index].add(states[gateway], count: stretch.count)
        }
    }

    /// Takes the line at the end of ten seconds.
    mutating func add(_ moment: PresenceCalibration.Moment) {
        guard isKnown.last == true, !isUnseenAtEnd else { return }
        moments.append(moment)
    }

    mutating func forgetMoments() { moments = [] }

    /// The lines of the moments, with their lengths in hindsight.
    ///
    /// - Parameter lengths: in each second.
    func moments(_ lengths: [Int]) -> [(moment: PresenceCalibration.Moment, length: Int)] {
        moments.map { ($0, lengths[seconds.lowerBound.distance(to: $0.second)]) }
    }

    /// Takes the forecast at the end of ten seconds, which stands for them.
    ///
    /// - Parameters:
    ///   - isBusy: whether a tag is in line.
    ///   - isHidden: whether a tag is near that may have joined unseen.
    ///   - somebody: the probability that anybody is in line.
    mutating func add(
        _ forecast: Forecast?, target: Duration?, isBusy: Bool, isHidden: Bool, somebody: Double
    ) {
        self.forecast = forecast
        somebodyAtEnd = somebody
        isBusyAtEnd = isBusy
        self.isHidden = isHidden
        guard let forecast, let target, isKnown.last == true else { return }
        let isOver = forecast.wait > target / .seconds(1)
        // The first minute of a day may begin within the ten seconds.
        overTarget = min(
            (overTarget ?? .zero) + (isOver ? Forecaster.period : .zero), seconds.duration)
    }

    /// Whether a person may be in line at the end who has joined unseen, or has left unseen after it.
    ///
    /// - Parameter lastUnseen: the last second in which that was possible.
    func isDoubtful(lastUnseen: UnixSecond?) -> Bool {
        if isUnseenAtEnd || isHidden { return true }
        return isBusyAtEnd && lastUnseen.map { $0 >= seconds.upperBound } ?? false
    }

    /// The length in each second.
    func lengths(_ visits: [Visit]) -> [Int] {
        var changes = [Int](repeating: 0, count: seconds.count + 1)
        for visit in visits {
            let start = max(visit.entered.second, seconds.lowerBound)
            let end = min(visit.left.second, seconds.upperBound)
            guard start < end else { continue }
            changes[seconds.lowerBound.distance(to: start)] += 1
            changes[seconds.lowerBound.distance(to: end)] -= 1
        }
        var length = 0
        return changes.dropLast().map { change in
            length += change
            return length
        }
    }

    /// The line in this period, by the visits that overlap it.
    func statistics(
        _ visits: [Visit], lengths: [Int], _ atEnd: TagsInLine
    ) -> LineStatistics {
        let known = zip(lengths, isKnown).filter(\.1).map(\.0)
        let leavers = visits.filter { $0.left.second <= seconds.upperBound }
        let sums = LineSums(
            personSeconds: Int64(known.reduce(0, +)), seconds: Int64(known.count),
            longest: Int64(known.max() ?? 0),
            joined: Int64(visits.count { $0.entered.second >= seconds.lowerBound }),
            served: Int64(leavers.count { $0.end == .served }),
            abandoned: Int64(leavers.count { $0.end == .abandoned }))
        return LineStatistics(
            sums: sums, atEnd: atEnd,
            waits: WaitStatistics(leavers.filter(\.isMeasured).map(\.wait)))
    }
}
