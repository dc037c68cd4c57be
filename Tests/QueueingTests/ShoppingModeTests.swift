import JSON
import Testing

@testable import Facts
@testable import Queueing

@Suite("how people come to a line")
struct ShoppingModeTests {
    /// A person browses five minutes beside the line, joins, waits a minute and a half, and is served.
    private static func levels(at second: Int, shelf: Double = -14) -> RoleLevels {
        let (entry, till): (Double, Double) =
            switch second {
            case ..<300: (shelf, shelf - 4)
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

    private static let walk = Duration.seconds(60)
    private static let browsing = Duration.seconds(300)

    @Test("people who are beside the line for minutes browse; those who walk to it do not")
    func evidence() {
        var evidence = ShoppingEvidence()
        for _ in 0..<4 { evidence.add(lingered: Self.browsing) }
        #expect(evidence.mode == .browsing)
        for _ in 0..<11 { evidence.add(lingered: Self.walk) }
        #expect(evidence.mode == .direct)
    }

    @Test("every second person is enough for a browsing site")
    func half() {
        var evidence = ShoppingEvidence()
        for _ in 0..<40 {
            evidence.add(lingered: Self.browsing)
            evidence.add(lingered: Self.walk)
        }
        #expect(evidence.mode == .browsing)
    }

    @Test("one in ten people who linger is no evidence of browsing")
    func chance() {
        var evidence = ShoppingEvidence()
        for number in 0..<1000 {
            evidence.add(lingered: number.isMultiple(of: 10) ? Self.browsing : Self.walk)
            #expect(!evidence.isInDoubt)
        }
        #expect(evidence.mode == .direct)
    }

    @Test("two people who linger raise a doubt, until the evidence decides")
    func doubt() {
        var evidence = ShoppingEvidence()
        evidence.add(lingered: Self.browsing)
        #expect(!evidence.isInDoubt)
        evidence.add(lingered: Self.browsing)
        #expect(evidence.isInDoubt)
        for _ in 0..<2 { evidence.add(lingered: Self.browsing) }
        #expect(evidence.mode == .browsing)
        #expect(!evidence.isInDoubt)
    }

    @Test("the time beside the line shows who lingers", arguments: [true, false])
    func lingered(browses: Bool) throws {
        var track = LineTrack()
        var times: [Duration?] = []
        for second in 0..<500 {
            let levels =
                browses
                ? Self.levels(at: second, shelf: -20)
                : Self.visit(from: 100, to: 400, at: second)
            let stays = track.on(
                levels, KnowledgeGaps(), PresenceCalibration(), at: UnixSecond(Int64(second)))
            times.append(stays.lingered)
        }
        times.append(track.finish().lingered)
        // Once for each presence.
        #expect(times.compactMap(\.self).map { $0 > ShoppingEvidence.longestWalk } == [browses])
        // A tag without a stay shows nothing.
        #expect(track.finish().lingered == nil)
    }

    @Test("people who linger change the mode of the site; what began before counts nowhere")
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
        for person in 0..<40 as Range<UInt64> {
            let start = UnixSecond(Int64(person) * 1000)
            let first = stay(start, start.advanced(by: 900))
            site.add(
                LineTrack.Stays(
                    direct: [first], lingered: person < 20 ? Self.browsing : Self.walk),
                of: Tag(rawValue: person), queue: 0)
            #expect(site.lines[0].isWaiting == (site.current == .direct))
            if site.follow(at: start.advanced(by: 999)) {
                changes.append(start.advanced(by: 999))
                #expect(!site.lines[0].isWaiting)
                #expect(!site.counts(first))
                #expect(site.counts(stay(start.advanced(by: 1000), start.advanced(by: 1090))))
            }
        }
        #expect(changes.count == 2)
        #expect(site.current == .direct)
    }

    @Test("one visitor who comes again and again is one person")
    func again() throws {
        let layout = try Scene.layout()
        let roles = layout.queues.map { QueueRoles($0, gateways: layout.gateways) }
        var site = ShoppingLines(
            ShoppingEvidence(), roles, roles.map { ParallelTills(gateways: $0.till.count) })
        for time in 0..<8 as Range<Int64> {
            site.add(
                LineTrack.Stays(lingered: Self.browsing), of: Tag(rawValue: 1), queue: 0)
            let hasChanged = site.follow(at: UnixSecond(time * 1000))
            #expect(!hasChanged)
        }
        #expect(!site.evidence.isInDoubt)
    }

    @Test("in a browsing site, a tag that left and comes back is judged again")
    func comesBack() throws {
        let layout = try Scene.layout()
        let roles = layout.queues.map { QueueRoles($0, gateways: layout.gateways) }
        var evidence = ShoppingEvidence()
        for _ in 0..<4 { evidence.add(lingered: Self.browsing) }
        var registry = TagRegistry(
            close: layout.unlearntLevels, shopping: evidence, roles: roles)
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
        // One more person who lingers decides.
        let stored: JSON = ["approach": "direct", "logOdds": .number(7.9)]
        let evidence = try ObjectReader.decode(stored) { ShoppingEvidence(&$0) }
        var registry = TagRegistry(
            close: layout.unlearntLevels, shopping: evidence, roles: roles)
        var changed: Int?
        var finals: [TagRegistry.FinalStay] = []
        for second in 0..<1500 {
            // The first person walks to the line, the second one lingers. Then the first one lingers as well.
            let tracks: [(UInt64, RoleLevels)] = [
                (
                    1,
                    second < 700
                        ? Self.visit(from: 30, to: 200, at: second)
                        : Self.levels(at: second - 700, shelf: -20)
                ), (2, Self.levels(at: second, shelf: -20)),
            ]
            var seconds = [[GatewaySecond.Level]](repeating: [], count: 2)
            for (tag, own) in tracks {
                for (role, level) in [own.entry, own.till].enumerated()
                where level > HoldFilter.floor {
                    seconds[role].append(
                        .init(tag: Facts.Tag(rawValue: tag), power: -58 + level, senders: 1))
                }
            }
            let heard = seconds.map { GatewaySecond(heard: .seconds(1), levels: $0) }
            finals += registry.on(heard, [PresenceCalibration()], at: UnixSecond(Int64(second)))
            if registry.evidence.mode == .browsing { changed = changed ?? second }
        }
        finals += registry.endAll([PresenceCalibration()], at: 1500)
        let change = try #require(changed)
        #expect((300...600).contains(change))
        let entered = finals.filter { $0.tag == Facts.Tag(rawValue: 1) }.map(\.stay.entered.second)
        #expect(entered.count == 1)
        #expect((998...1005).contains(try #require(entered.first)))
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
        for _ in 0..<3 { levels.shopping.add(lingered: Self.browsing) }
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
        for _ in 0..<4 { levels.shopping.add(lingered: Self.browsing) }
        levels.shopping.add(lingered: Self.walk)
        #expect(try LearntLevels(levels.json) == levels)
        #expect(try LearntLevels(levels.json).shopping.mode == .browsing)
        // What earlier versions wrote.
        #expect(try LearntLevels(["v": 1, "gateways": []]).shopping.mode == .direct)
        let earlier: JSON = ["approach": "browsing", "certain": 90, "outOfTurn": 50]
        let stored = try LearntLevels(["v": 1, "gateways": [], "approach": earlier])
        #expect(stored.shopping.mode == .browsing)
    }
}
