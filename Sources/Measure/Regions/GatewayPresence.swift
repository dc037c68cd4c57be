import Facts
import Primitives
import Queueing

/// Whether one beacon is near one gateway: the state machine of monitoring.
///
/// It counts in seconds in which the gateway was listening (`known`). Others are no silence.
struct GatewayPresence: Equatable {
    /// A second with reports.
    private struct Heard: Equatable {
        let known: Int
        let reports: Double
        let first: UnixTime
    }

    /// How the beacon came.
    struct Entry: Equatable {
        /// The first report of those that decided.
        let time: UnixTime
        let reports: Double
        /// Of the last one, in dBm.
        let power: Double
    }

    private enum Phase: Equatable {
        /// The heard seconds of the last ten known ones.
        case outside(recent: [Heard])
        /// The deadline is frozen at the first silent second.
        case inside(Entry, ExitDeadline?)
    }

    /// What a second has changed.
    enum Change: Equatable {
        case entered
        case left(ExitDeadline)
    }

    /// What a report says about the time since the one before, in seconds.
    struct Evidence {
        var change: Change?
        /// Whether it came back soon after an exit.
        var isFlap = false
        var presence = 0
        var silence = 0
    }

    /// An exit that may have been false.
    private struct Exit: Equatable {
        let second: UnixSecond
        /// The number of the last second with reports before it.
        let lastKnown: Int
    }

    private var phase = Phase.outside(recent: [])
    private var rate = ReportRate()
    private var silences = SilenceRecord()
    private var flaps = FlapFactor()
    /// The last report, and its second.
    private(set) var last: UnixTime
    private(set) var lastSecond: UnixSecond
    private var lastKnown: Int
    private var exit: Exit?

    /// The seconds in which a beacon must be heard to enter.
    static let entryWindow = ListeningCondition.steady
    private static let entryReports = 3.0
    /// Fewer reports are enough near the gateway: dBm.
    private static let loud = -75.0
    private static let loudReports = 2.0

    /// - Parameter known: the number of the present second among those in which the gateway was listening.
    init(known: Int, at second: UnixSecond) {
        (last, lastSecond, lastKnown) = (second.start, second, known - 1)
    }

    var isInside: Bool { entry != nil }

    /// Whether it is inside, or has been.
    var hasEntered: Bool { isInside || exit != nil }

    /// `nil` outside.
    var entry: Entry? { if case .inside(let entry, _) = phase { entry } else { nil } }

    /// Reports a second, as far as they are counted on.
    var reportsPerSecond: Double { rate.perSecond }

    /// Takes a second with reports.
    ///
    /// - Parameters:
    ///   - known: the number of the second among those in which the gateway was listening.
    ///   - isExpected: whether it was inside before a restart: then one report is enough.
    mutating func hear(
        _ level: GatewaySecond.Level, known: Int, at second: UnixSecond, isExpected: Bool = false
    ) -> Evidence {
        let elapsed = max(1, known - lastKnown)
        rate.add(level.reports, elapsed: elapsed)
        defer { (last, lastSecond, lastKnown) = (level.seen.upperBound, second, known) }
        switch phase {
        case .inside(let entry, _):
            phase = .inside(entry, nil)
            return learn(presence: elapsed, silence: elapsed - 1, at: second)
        case .outside(var recent):
            recent.removeAll { $0.known <= known - Self.entryWindow }
            recent.append(
                Heard(known: known, reports: level.reports, first: level.seen.lowerBound))
            phase = .outside(recent: recent)
            return enter(recent, power: level.power, isExpected: isExpected, at: second)
        }
    }

    /// Enters, if the last seconds say so. An exit shortly before was false: its silence is one more that ended.
    private mutating func enter(
        _ recent: [Heard], power: Double, isExpected: Bool, at second: UnixSecond
    ) -> Evidence {
        let reports = recent.reduce(0) { $0 + $1.reports }
        let isSteady = reports >= Self.entryReports && recent.count >= 2
        let isNear = reports >= Self.loudReports && power > Self.loud
        guard isSteady || isNear || isExpected, let first = recent.first else { return Evidence() }
        phase = .inside(Entry(time: first.first, reports: reports, power: power), nil)
        var evidence = Evidence()
        if let exit, second - exit.second <= FlapFactor.window {
            flaps.onFlap(at: second)
            evidence = learn(presence: 0, silence: first.known - exit.lastKnown - 1, at: second)
            evidence.isFlap = true
        }
        exit = nil
        evidence.change = .entered
        return evidence
    }

    private mutating func learn(
        presence: Int, silence: Int, at second: UnixSecond
    ) -> Evidence {
        silences.add(
            count: silence > 0 ? 1 : 0, length: Double(max(0, silence)),
            presence: Double(presence), at: second)
        return Evidence(presence: presence, silence: max(0, silence))
    }

    /// Takes a second in which the gateway was listening, and did not hear the beacon.
    ///
    /// - Parameters:
    ///   - known: the number of the second among those in which the gateway was listening.
    ///   - pool: the silences of all beacons of the gateway.
    mutating func miss(
        _ rule: ExitRule, known: Int, pool: SilenceRecord, at second: UnixSecond
    ) -> Change? {
        guard case .inside(let entry, let frozen) = phase else { return nil }
        let deadline = frozen ?? deadline(rule, pool, at: second)
        phase = .inside(entry, deadline)
        guard silence(known: known, at: second) >= deadline.silence else { return nil }
        phase = .outside(recent: [])
        exit = Exit(second: second, lastKnown: lastKnown)
        return .left(deadline)
    }

    /// The time since the last report, without seconds in which the gateway was not listening.
    func silence(known: Int, at second: UnixSecond) -> Duration {
        let missed = lastSecond.distance(to: second) - (known - lastKnown)
        // Swift 6.0 reads the sum of both differences as a time.
        let elapsed: Duration = second.next.start - last
        return elapsed - .seconds(max(0, missed))
    }

    /// The silence after which the beacon has left, by what is known now.
    func deadline(_ rule: ExitRule, _ pool: SilenceRecord, at second: UnixSecond) -> ExitDeadline {
        let seconds: Double
        switch rule {
        case .fixed(let time): seconds = time.inSeconds
        case .learnt(let falseExits):
            let accepted = falseExits / 86_400
            let fading =
                silences.weight * silences.deadline(accepted: accepted)
                + (1 - silences.weight) * pool.deadline(accepted: accepted)
            let shortest = ExitRule.shortest.inSeconds
            let needed = max(rate.deadline(accepted: accepted), fading, shortest)
            seconds = min(flaps.value(at: second) * needed, ExitRule.longest.inSeconds)
        }
        let expected = max(
            rate.silences(longerThan: seconds), silences.silences(longerThan: seconds))
        return ExitDeadline(
            silence: .milliseconds(Int64((seconds * 1000).rounded())), rate: rate.perSecond,
            falsePerDay: expected * 86_400)
    }
}
