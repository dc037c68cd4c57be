import Testing

@testable import Queueing

@Suite("how people come to a line")
struct ApproachTests {
    /// A person browses five minutes beside the line, joins, waits a minute and a half, and is served.
    private static func levels(at second: Int) -> RoleLevels {
        let (entry, till): (Double, Double) =
            switch second {
            case ..<300: (-14, -18)
            case ..<304: (-1, -14)
            case ..<390: (-9, -9)
            case ..<410: (-14, 0)
            case ..<414: (-20, -12)
            default: (HeldLevel.floor, HeldLevel.floor)
            }
        return RoleLevels(
            entry: entry, till: till, loudestTill: 0, louder: max(entry, till))
    }

    @Test("the browsing approach dates a joining at the entry, and not at the shelf before it")
    func dates() throws {
        var track = LineTrack()
        track.begin(.browsing)
        var direct: [LineStay] = []
        var browsing: [LineStay] = []
        for second in 0..<500 {
            let stays = track.on(
                Self.levels(at: second), unknown: nil, at: UnixSecond(Int64(second)))
            direct += stays.direct
            browsing += stays.browsing
        }
        let last = track.finish()
        let found = (direct + last.direct, browsing + last.browsing)
        #expect(try #require(found.0.first).entered.second < 100)
        let stay = try #require(found.1.first)
        #expect((298...305).contains(stay.entered.second))
        #expect((400...413).contains(stay.left.second))
        #expect(stay.isVisit)
    }

    @Test("the share of stays out of turn shows the approach, with inertia and without chance")
    func evidence() {
        var evidence = ApproachEvidence()
        // Half of 40 may be chance, half of 300 is none.
        for number in 0..<40 { evidence.add(isOutOfTurn: number.isMultiple(of: 2)) }
        #expect(evidence.approach == .direct)
        for number in 0..<260 { evidence.add(isOutOfTurn: number.isMultiple(of: 2)) }
        #expect(evidence.approach == .browsing)
        // A fifth changes nothing.
        for number in 0..<300 { evidence.add(isOutOfTurn: number.isMultiple(of: 5)) }
        #expect(evidence.approach == .browsing)
        for _ in 0..<200 { evidence.add(isOutOfTurn: false) }
        #expect(evidence.approach == .direct)
    }

    @Test("stays out of order change the approach of the site; what began before counts nowhere")
    func change() throws {
        let layout = try Scene.layout()
        let roles = layout.queues.map { QueueRoles($0, gateways: layout.gateways) }
        var site = SiteApproach(ApproachEvidence(), roles)
        let stay = { (entered: UnixSecond, left: UnixSecond) in
            LineStay(
                entered: EdgeDate(entered), left: EdgeDate(left), end: .served, gain: 9, logOdds: 6)
        }
        var changes: [UnixSecond] = []
        // First, twelve people leave in the wrong order each time; later, one after the other.
        for group in 0..<200 as Range<UInt64> {
            let start = UnixSecond(Int64(group) * 1000)
            let first = stay(start, start.advanced(by: 900))
            for person in 0..<12 as Range<UInt64> {
                let delay = Int(person) * (group < 60 ? 20 : 80)
                let joined = start.advanced(by: delay)
                let left = start.advanced(by: group < 60 ? 600 - delay : delay + 70)
                site.add(
                    LineTrack.Stays(direct: [stay(joined, left)]),
                    of: Tag(rawValue: group * 12 + person), queue: 0)
            }
            _ = site[.direct][0].judge(at: start.advanced(by: 999), stillInSince: nil)
            if site.follow(at: start.advanced(by: 999)) {
                changes.append(start.advanced(by: 999))
                #expect(!site.counts(first))
                #expect(site.counts(stay(start.advanced(by: 1000), start.advanced(by: 1090))))
            }
        }
        #expect(changes.count == 2)
        #expect(site.current == .direct)
    }

    @Test("in a browsing site, a tag that left and comes back is judged again")
    func comesBack() throws {
        let layout = try Scene.layout()
        let roles = layout.queues.map { QueueRoles($0, gateways: layout.gateways) }
        var evidence = ApproachEvidence()
        for _ in 0..<100 { evidence.add(isOutOfTurn: true) }
        var registry = TagRegistry(
            close: layout.gateways.map { _ in CloseLevel() }, approach: evidence, roles: roles)
        var entered: [UnixSecond] = []
        for second in 0..<1400 {
            let levels = Self.levels(at: second % 700)
            let seconds = [levels.entry, levels.till].map { level in
                GatewaySecond(
                    heard: .seconds(1),
                    levels: level > HeldLevel.floor
                        ? [.init(tag: Tag(rawValue: 1), power: -58 + level, senders: 1)] : [])
            }
            let finals = registry.on(seconds, at: UnixSecond(Int64(second)))
            entered += finals.map(\.stay.entered.second)
        }
        #expect(entered.count == 2)
    }

    @Test("the next day begins with it")
    func stored() throws {
        var levels = LearntLevels()
        for _ in 0..<30 { levels.approach.add(isOutOfTurn: true) }
        for number in 0..<300 { levels.approach.add(isOutOfTurn: number.isMultiple(of: 5)) }
        #expect(try LearntLevels(levels.json) == levels)
        #expect(try LearntLevels(levels.json).approach.approach == .browsing)
        // What earlier versions wrote.
        #expect(try LearntLevels(["v": 1, "gateways": []]).approach.approach == .direct)
    }
}
