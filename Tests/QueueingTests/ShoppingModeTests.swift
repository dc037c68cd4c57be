import JSON
import Testing

@testable import Facts
@testable import Queueing

@Suite("how people come to a line")
struct ShoppingModeTests {
    /// A person browses five minutes beside the line, joins, waits a minute and a half, and is served.
    private static func levels(at second: Int) -> RoleLevels {
        let (entry, till): (Double, Double) =
            switch second {
            case ..<300: (-14, -18)
            case ..<304: (-1, -14)
            case ..<390: (-9, -9)
            case ..<410: (-14, 0)
            case ..<414: (-20, -12)
            default: (HoldFilter.floor, HoldFilter.floor)
            }
        return RoleLevels(
            entry: entry, till: till, loudestTill: 0, loudest: max(entry, till))
    }

    @Test("the browsing approach dates a joining at the entry, and not at the shelf before it")
    func dates() throws {
        var track = LineTrack()
        track.begin(.browsing)
        var direct: [LineStay] = []
        var browsing: [LineStay] = []
        for second in 0..<500 {
            let stays = track.on(
                Self.levels(at: second), KnowledgeGaps(), PresenceCalibration(),
                at: UnixSecond(Int64(second)))
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

    private static let inOrder = LineTurn(ahead: 10, overtaken: 0)
    private static let outOfTurn = LineTurn(ahead: 10, overtaken: 7)

    @Test("stays out of turn show that people browse; the order shows that they do not")
    func evidence() {
        var evidence = ShoppingEvidence()
        for number in 0..<60 {
            evidence.add(number.isMultiple(of: 3) ? Self.outOfTurn : Self.inOrder, tills: 1)
        }
        #expect(evidence.mode == .browsing)
        for number in 0..<300 {
            evidence.add(number.isMultiple(of: 20) ? Self.outOfTurn : Self.inOrder, tills: 1)
        }
        #expect(evidence.mode == .direct)
    }

    @Test("one in twenty out of turn is no evidence of browsing")
    func chance() {
        var evidence = ShoppingEvidence()
        for number in 0..<1000 {
            evidence.add(number.isMultiple(of: 20) ? Self.outOfTurn : Self.inOrder, tills: 1)
            #expect(!evidence.isInDoubt)
        }
        #expect(evidence.mode == .direct)
    }

    @Test("three stays out of turn in a row raise a doubt, until the evidence decides")
    func doubt() {
        var evidence = ShoppingEvidence()
        for _ in 0..<2 { evidence.add(Self.outOfTurn, tills: 1) }
        #expect(!evidence.isInDoubt)
        evidence.add(Self.outOfTurn, tills: 1)
        #expect(evidence.isInDoubt)
        for _ in 0..<20 { evidence.add(Self.outOfTurn, tills: 1) }
        #expect(evidence.mode == .browsing)
        #expect(!evidence.isInDoubt)
    }

    @Test("a stay that overtakes as many people as the tills allow, or two more, is in turn")
    func allowed() {
        var evidence = ShoppingEvidence()
        for _ in 0..<100 { evidence.add(LineTurn(ahead: 10, overtaken: 4), tills: 3) }
        #expect(evidence.mode == .direct)
        // In a short line, nobody can leave out of turn.
        evidence = ShoppingEvidence()
        for _ in 0..<100 { evidence.add(LineTurn(ahead: 2, overtaken: 2), tills: 1) }
        #expect(evidence == ShoppingEvidence())
    }

    @Test("stays out of order change the approach of the site; what began before counts nowhere")
    func change() throws {
        let layout = try Scene.layout()
        let roles = layout.queues.map { QueueRoles($0, gateways: layout.gateways) }
        var site = ShoppingLines(
            ShoppingEvidence(), roles, roles.map { ParallelTills(gateways: $0.till.count) })
        let stay = { (entered: UnixSecond, left: UnixSecond) in
            LineStay(
                entered: EdgeDate(entered), left: EdgeDate(left), end: .served, gain: 9, logOdds: 6)
        }
        var changes: [UnixSecond] = []
        // First, twelve people leave in the wrong order each time; later, in the right one.
        for group in 0..<200 as Range<UInt64> {
            let start = UnixSecond(Int64(group) * 1000)
            let first = stay(start, start.advanced(by: 900))
            for person in 0..<12 as Range<UInt64> {
                let delay = Int(person) * 20
                let joined = start.advanced(by: delay)
                let left = start.advanced(by: 600 + (group < 60 ? -delay : delay))
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
        var evidence = ShoppingEvidence()
        for _ in 0..<20 { evidence.add(Self.outOfTurn, tills: 1) }
        var registry = TagRegistry(
            close: layout.gateways.map { _ in CloseLevel() }, shopping: evidence, roles: roles)
        var entered: [UnixSecond] = []
        for second in 0..<1400 {
            let levels = Self.levels(at: second % 700)
            let seconds = [levels.entry, levels.till].map { level in
                GatewaySecond(
                    heard: .seconds(1),
                    levels: level > HoldFilter.floor
                        ? [.init(tag: Tag(rawValue: 1), power: -58 + level, senders: 1)] : [])
            }
            let finals = registry.on(
                seconds, [PresenceCalibration()], at: UnixSecond(Int64(second)))
            entered += finals.map(\.stay.entered.second)
        }
        #expect(entered.count == 2)
    }

    @Test("a tag that is away at the change is judged by the new approach when it comes back")
    func away() throws {
        let layout = try Scene.layout()
        let roles = layout.queues.map { QueueRoles($0, gateways: layout.gateways) }
        // One more stay out of turn decides.
        let stored: JSON = ["approach": "direct", "logOdds": .number(7.9)]
        let evidence = try ObjectReader.decode(stored) { ShoppingEvidence(&$0) }
        var registry = TagRegistry(
            close: layout.gateways.map { _ in CloseLevel() }, shopping: evidence, roles: roles)
        var changed: Int?
        var finals: [TagRegistry.FinalStay] = []
        for second in 0..<8000 {
            // Each 800 s, twelve tags join one after the other, and leave in the reverse order. At last, one of the first comes back.
            let (group, time) = second.quotientAndRemainder(dividingBy: 800)
            var seconds = [[GatewaySecond.Level]](repeating: [], count: 2)
            for person in 0..<(group == 9 ? 1 : 12) {
                let tag = Facts.Tag(rawValue: UInt64(group == 9 ? 11 : group * 12 + person))
                let own =
                    group == 9
                    ? Self.levels(at: time)
                    : Self.visit(from: 10 + person * 20, to: 640 - person * 25, at: time)
                for (role, level) in [own.entry, own.till].enumerated()
                where level > HoldFilter.floor {
                    seconds[role].append(.init(tag: tag, power: -58 + level, senders: 1))
                }
            }
            let heard = seconds.map { GatewaySecond(heard: .seconds(1), levels: $0) }
            finals += registry.on(heard, [PresenceCalibration()], at: UnixSecond(Int64(second)))
            if registry.evidence.mode == .browsing { changed = changed ?? second }
        }
        finals += registry.endAll([PresenceCalibration()], at: 8000)
        let change = try #require(changed)
        #expect(change < 7000)
        #expect(
            finals.contains {
                $0.tag == Facts.Tag(rawValue: 11) && $0.stay.entered.second >= 7200
            })
    }

    /// A person who joins at a second, stands in the middle of the line, and leaves the till at another one.
    private static func visit(from joined: Int, to left: Int, at second: Int) -> RoleLevels {
        let (entry, till): (Double, Double) =
            switch second {
            case ..<(joined - 8): (HoldFilter.floor, HoldFilter.floor)
            case ..<joined: (-14, -24)
            case ..<(joined + 5): (0, -12)
            case ..<(left - 15): (-9, -8)
            case ..<left: (-13, 0)
            case ..<(left + 8): (-20, -12)
            default: (HoldFilter.floor, HoldFilter.floor)
            }
        return RoleLevels(entry: entry, till: till, loudestTill: 0, loudest: max(entry, till))
    }

    @Test("in doubt, the gateways learn, the queue is unknown, and no visit counts")
    func undecided() throws {
        var levels = LearntLevels()
        for _ in 0..<3 { levels.shopping.add(Self.outOfTurn, tills: 1) }
        let walk = Scene.Walk(tag: 1, joined: 100, left: 200)
        let messages = Scene.messages([walk], seconds: 0..<400, seed: 3)
        func results(_ levels: LearntLevels) throws -> (QueueNow, [QueueEstimator.Result]) {
            var estimator = QueueEstimator(try Scene.layout(), levels: levels, learning: .zero)
            for message in messages { _ = estimator.take(message.window, from: message.gateway) }
            estimator.advance(through: Scene.second(300))
            let now = try #require(estimator.now.first)
            return (now, estimator.finish().filter { if case .visit = $0 { true } else { false } })
        }
        let (doubtful, noVisits) = try results(levels)
        #expect(doubtful.state == .unknown)
        #expect(doubtful.reasons.map(\.cause) == [.learning, .learning])
        #expect(noVisits.isEmpty)
        let (sure, visits) = try results(LearntLevels())
        #expect(sure.state == .ok)
        #expect(visits.count == 1)
    }

    @Test("the next day begins with it")
    func stored() throws {
        var levels = LearntLevels()
        for _ in 0..<20 { levels.shopping.add(Self.outOfTurn, tills: 1) }
        levels.shopping.add(Self.inOrder, tills: 1)
        #expect(try LearntLevels(levels.json) == levels)
        #expect(try LearntLevels(levels.json).shopping.mode == .browsing)
        // What earlier versions wrote.
        #expect(try LearntLevels(["v": 1, "gateways": []]).shopping.mode == .direct)
        let earlier: JSON = ["approach": "browsing", "certain": 90, "outOfTurn": 50]
        let stored = try LearntLevels(["v": 1, "gateways": [], "approach": earlier])
        #expect(stored.shopping.mode == .browsing)
    }
}
