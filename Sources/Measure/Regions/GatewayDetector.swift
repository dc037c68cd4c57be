import Facts
import Primitives

/// The beacons near one gateway, by one rule.
struct GatewayDetector {
    /// A change of one beacon's presence.
    struct Change {
        let tag: Tag
        let change: GatewayPresence.Change
    }

    let rule: ExitRule
    private var presences: [Tag: GatewayPresence] = [:]
    /// The beacons that are near.
    private(set) var inside: Set<Tag> = []
    /// Those that were near before a restart: one report says that they still are.
    private(set) var expected: Set<Tag> = []
    private var pool = SilenceRecord()
    /// The number of seconds in which the gateway was listening.
    private(set) var known = 0
    /// Seconds of beacons for which there was no place.
    private(set) var refused = 0
    /// Exits after which the beacon soon came back.
    private(set) var flaps = 0
    /// When beacons that never entered had to give way last.
    private var evicted: UnixSecond?

    /// The beacons that are known at a time.
    static let most = 20_000

    init(rule: ExitRule) { self.rule = rule }

    subscript(tag: Tag) -> GatewayPresence? { presences[tag] }

    /// Takes a beacon that was near before a restart.
    mutating func expect(_ tag: Tag) { expected.insert(tag) }

    /// From now on, the beacon has to enter as any other; `nil` stands for all.
    mutating func expectNoLonger(_ tag: Tag?) {
        if let tag { expected.remove(tag) } else { expected = [] }
    }

    /// The beacons that are near, for the second before they may have fallen silent; `nil` for those of before a restart.
    func beacons(silentSince second: UnixSecond?) -> SilentRadio.Beacons {
        guard let second else { return SilentRadio.Beacons(silent: expected) }
        var beacons = SilentRadio.Beacons()
        for tag in inside {
            guard let presence = presences[tag] else { continue }
            beacons.reports += Int((presence.reportsPerSecond * 1000).rounded())
            if presence.lastSecond >= second { beacons.silent.insert(tag) }
        }
        return beacons
    }

    /// Takes a second of the gateway.
    ///
    /// - Returns: the changes, in ascending order of tags.
    mutating func on(_ state: GatewaySecond, at second: UnixSecond) -> [Change] {
        guard state.isListening else { return [] }
        known += 1
        var changes: [Change] = []
        var learnt = (count: 0, length: 0, presence: 0)
        // Of a window across the border of a second, no report may have come in it.
        for level in state.levels where level.reports > 0 {
            guard presences[level.tag] != nil || hasPlace(at: second) else {
                refused += 1
                continue
            }
            let evidence =
                presences[level.tag, default: GatewayPresence(known: known, at: second)]
                .hear(
                    level, known: known, at: second,
                    isExpected: !expected.isEmpty && expected.remove(level.tag) != nil)
            learnt.presence += evidence.presence
            learnt.length += evidence.silence
            learnt.count += evidence.silence > 0 ? 1 : 0
            guard let change = evidence.change else { continue }
            flaps += evidence.isFlap ? 1 : 0
            inside.insert(level.tag)
            changes.append(Change(tag: level.tag, change: change))
        }
        changes += miss(at: second)
        // Sums of whole numbers: the order of tags changes nothing.
        if learnt.presence + learnt.count > 0 {
            pool.add(
                count: Double(learnt.count), length: Double(learnt.length),
                presence: Double(learnt.presence), at: second)
        }
        return changes
    }

    /// Whether there is a place for one more beacon. Those that never entered give way after the time in which they could: a flood of
    /// identities keeps no beacon out for longer.
    private mutating func hasPlace(at second: UnixSecond) -> Bool {
        guard presences.count >= Self.most else { return true }
        // Once a second: a flood must not cost more.
        guard evicted != second else { return false }
        evicted = second
        let end = second.advanced(by: -GatewayPresence.entryWindow)
        presences = presences.filter { $0.value.hasEntered || $0.value.lastSecond > end }
        return presences.count < Self.most
    }

    private mutating func miss(at second: UnixSecond) -> [Change] {
        var changes: [Change] = []
        for tag in inside where presences[tag]?.lastSecond != second {
            guard
                let change = presences[tag]?.miss(rule, known: known, pool: pool, at: second)
            else { continue }
            changes.append(Change(tag: tag, change: change))
        }
        for change in changes { inside.remove(change.tag) }
        return changes.sorted { $0.tag < $1.tag }
    }

    /// Forgets the beacons that are outside, and were not heard since `second`.
    mutating func forget(before second: UnixSecond) {
        presences = presences.filter { inside.contains($0.key) || $0.value.lastSecond >= second }
    }

    /// What is known about the silence of a beacon; `nil` for one that is not inside.
    func why(_ tag: Tag, at second: UnixSecond) -> (silence: Duration, deadline: ExitDeadline)? {
        guard let presence = presences[tag], presence.isInside else { return nil }
        return (
            presence.silence(known: known, at: second), presence.deadline(rule, pool, at: second)
        )
    }
}
