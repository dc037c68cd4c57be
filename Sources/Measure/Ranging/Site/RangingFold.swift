import Facts
import Primitives
import Queueing

/// The fold of a site's seconds into the places of its beacons.
///
/// An estimate costs 0.1 ms. So a beacon is looked at once in some seconds, each at its own ones, and an estimate is made only if a
/// level has changed by more than its noise. What is stated changes only if the estimate is noticeably another one.
struct RangingFold: SecondFold {
    /// What is known of a beacon.
    struct Track: Sendable {
        fileprivate struct Sample: Sendable {
            let second: UnixSecond
            let gateway: UInt16
            let level: Float
        }

        fileprivate var samples: [Sample] = []
        /// The levels of the last estimate.
        fileprivate var evidence: [Double?] = []
        fileprivate var power = TagPower(claimed: 0)
        fileprivate var revision = -1
        /// Whether its turn has come.
        fileprivate var isWaiting = false
        private(set) var last: UnixSecond
        /// What is stated, and the levels behind it.
        fileprivate(set) var stated: (estimate: PlaceEstimate, levels: [Double?])?
        private(set) var zone = ZoneDecision()

        fileprivate init(at second: UnixSecond) { last = second }
    }

    var seconds: SiteSeconds
    private(set) var conditions: [ListeningCondition]
    private(set) var tracks: [Tag: Track] = [:]
    /// Beacons that were left out, since too many were near.
    private(set) var refused = 0
    /// The beacons whose turn has come, the oldest turn first.
    private var waiting: [Tag] = []
    /// The seconds that they have waited.
    private(set) var delayed = 0
    private var labels = LabelCollector()

    /// A beacon that stays: its levels of so many seconds are averaged, and it is looked at once in as many.
    static let staying = 10
    private static let moving = 5
    /// A place is stated for so long after the last report.
    private static let hold = Duration.seconds(30)
    /// A smaller change of a mean level is noise, in dB.
    private static let noise = 2.0
    private static let most = 10_000
    /// The estimates of a second: the loop must not wait.
    private static let mostEstimates = 100

    init(gateways: Int) {
        let gateways = 0..<gateways
        seconds = SiteSeconds(gateways.map { _ in Watermark() })
        conditions = gateways.map { _ in ListeningCondition() }
    }

    mutating func on(
        _ states: [GatewaySecond], at second: UnixSecond, _ context: RangingContext
    ) -> [LabelLevels] {
        for (gateway, state) in states.enumerated() {
            _ = conditions[gateway].on(state, at: second)
            for level in state.levels where level.isOfOneDevice {
                note(level, UInt16(clamping: gateway), at: second)
            }
        }
        let turn = UnixSecond(0).distance(to: second)
        for tag in tracks.keys.filter({ Self.isDue($0, in: turn) }).sorted() {
            guard let known = context.subjects[tag] else {
                tracks[tag] = nil
                continue
            }
            let length = UInt64(Self.length(known))
            guard UInt64(clamping: turn) % length == tag.rawValue % length,
                tracks[tag]?.isWaiting == false
            else { continue }
            tracks[tag]?.isWaiting = true
            waiting.append(tag)
        }
        judge(context, at: second)
        return labels.on(states, at: second, context.tasks)
    }

    private static func length(_ known: KnownSubject) -> Int {
        known.subject.isMoving ? moving : staying
    }

    /// Looks at the beacons whose turn has come, within the bound of a second.
    private mutating func judge(_ context: RangingContext, at second: UnixSecond) {
        var (looked, estimates) = (0, 0)
        for tag in waiting {
            guard estimates < Self.mostEstimates else { break }
            looked += 1
            guard var track = tracks.removeValue(forKey: tag), let known = context.subjects[tag]
            else { continue }
            track.isWaiting = false
            let length = Self.length(known)
            tracks[tag] = Self.judged(track, tag, known, context, length, at: second, &estimates)
        }
        waiting.removeFirst(looked)
        delayed += waiting.count
    }

    /// Whether a beacon that moves is looked at.
    private static func isDue(_ tag: Tag, in turn: Int) -> Bool {
        turn % moving == Int(tag.rawValue % UInt64(moving))
    }

    private mutating func note(
        _ level: GatewaySecond.Level, _ gateway: UInt16, at second: UnixSecond
    ) {
        if tracks[level.tag] == nil {
            guard tracks.count < Self.most else {
                refused += 1
                return
            }
            tracks[level.tag] = Track(at: second)
        }
        tracks[level.tag]?.note(
            .init(second: second, gateway: gateway, level: Float(level.power)))
    }

    /// The track after another look at its levels; `nil` of a person who is gone.
    private static func judged(
        _ track: Track, _ tag: Tag, _ known: KnownSubject, _ context: RangingContext,
        _ length: Int, at second: UnixSecond, _ estimates: inout Int
    ) -> Track? {
        var track = track
        let levels = track.levels(since: second.advanced(by: -length), context.model.plan)
        guard levels.contains(where: { $0 != nil }) else {
            guard second - track.last > hold else { return track }
            track.lose()
            return known.subject.isPerson ? nil : track
        }
        let power = context.power(of: tag, known, at: second)
        let isSame =
            track.stated != nil && track.revision == context.revision
            && abs(power.level - track.power.level) < noise
            && zip(levels, track.evidence).allSatisfy { new, old in
                guard let new, let old else { return new == nil && old == nil }
                return abs(new - old) < noise
            }
        if !isSame {
            track.state(levels, power, context)
            if track.stated != nil { estimates += 1 }
        }
        return track
    }

    mutating func skip(_ span: Range<UnixSecond>, _ states: [GatewaySecond]) -> [LabelLevels] {
        for gateway in conditions.indices { conditions[gateway].skip() }
        (tracks, waiting) = ([:], [])
        return []
    }

    /// No copy hands over what it has heard.
    func decided() -> (LabelLevels) -> Bool { { _ in true } }
}

extension RangingFold.Track {
    fileprivate mutating func note(_ sample: Sample) {
        last = max(last, sample.second)
        samples.append(sample)
    }

    /// The means of the latest seconds, in dBm, by gateway. Earlier levels are forgotten.
    fileprivate mutating func levels(since start: UnixSecond, _ plan: FloorPlan) -> [Double?] {
        samples.removeAll { $0.second <= start }
        var sums = [(sum: Double, count: Double)](repeating: (0, 0), count: plan.gateways.count)
        for sample in samples where Int(sample.gateway) < sums.count {
            sums[Int(sample.gateway)].sum += Double(sample.level)
            sums[Int(sample.gateway)].count += 1
        }
        return sums.map { $0.count > 0 ? $0.sum / $0.count : nil }
    }

    fileprivate mutating func state(
        _ levels: [Double?], _ power: TagPower, _ context: RangingContext
    ) {
        (evidence, self.power, revision) = (levels, power, context.revision)
        let estimate = context.estimate(levels, power: power) { seconds(levels.count) }
        guard let estimate else {
            lose()
            return
        }
        if estimate.hasZones { zone.take(estimate.zones) } else { zone = ZoneDecision() }
        guard stated.map({ estimate.differs(from: $0.estimate) }) ?? true else { return }
        stated = (estimate, levels)
    }

    /// The levels of each second, by gateway.
    private func seconds(_ gateways: Int) -> [[Double?]] {
        Dictionary(grouping: samples, by: \.second).sorted { $0.key < $1.key }.map { _, samples in
            var levels = [Double?](repeating: nil, count: gateways)
            for sample in samples where Int(sample.gateway) < gateways {
                levels[Int(sample.gateway)] = Double(sample.level)
            }
            return levels
        }
    }

    /// States nothing: a zone of before an absence is no zone of after it.
    fileprivate mutating func lose() { (stated, zone) = (nil, ZoneDecision()) }
}

extension GatewaySecond.Level {
    /// The mean of the levels of several devices is that of no place.
    fileprivate var isOfOneDevice: Bool { senders <= 1 }
}

/// The levels of beacons with a task, second by second.
private struct LabelCollector: Sendable {
    private struct Sum: Sendable {
        var count = 0.0
        var sum = 0.0
        var squares = 0.0

        var mean: Double? { count > 0 ? sum / count : nil }

        var spread: LevelSpread? {
            mean.map { mean in
                LevelSpread(
                    deviation: max(0, squares / count - mean * mean).squareRoot(),
                    count: Int(count))
            }
        }
    }

    private var sums: [[Sum]] = []
    private var tasks: [LabelTask] = []

    /// - Returns: those that have stood long enough; once.
    mutating func on(
        _ states: [GatewaySecond], at second: UnixSecond, _ all: [LabelTask]
    ) -> [LabelLevels] {
        guard !all.isEmpty else {
            if !tasks.isEmpty { (tasks, sums) = ([], []) }
            return []
        }
        for one in all where !tasks.contains(one) && one.seconds.contains(second) {
            tasks.append(one)
            sums.append(states.map { _ in Sum() })
        }
        var heard: [LabelLevels] = []
        for (index, one) in tasks.enumerated() {
            for (gateway, state) in states.enumerated() where one.seconds.contains(second) {
                for level in state.levels where level.tag == one.tag && level.isOfOneDevice {
                    sums[index][gateway].count += 1
                    sums[index][gateway].sum += level.power
                    sums[index][gateway].squares += level.power * level.power
                }
            }
            guard second.next >= one.seconds.upperBound else { continue }
            heard.append(
                LabelLevels(
                    task: one, levels: sums[index].map(\.mean), spreads: sums[index].map(\.spread)))
        }
        for one in heard {
            guard let index = tasks.firstIndex(of: one.task) else { continue }
            tasks.remove(at: index)
            sums.remove(at: index)
        }
        return heard
    }
}
