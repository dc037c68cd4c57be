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

    @Test("the order of the line shows the approach, with inertia")
    func evidence() {
        var evidence = ApproachEvidence()
        for number in 0..<19 { evidence.add(isOutOfTurn: number.isMultiple(of: 2)) }
        #expect(evidence.approach == .direct)
        for number in 0..<4 { evidence.add(isOutOfTurn: number.isMultiple(of: 2)) }
        #expect(evidence.approach == .browsing)
        // A fifth out of turn changes nothing.
        for number in 0..<300 { evidence.add(isOutOfTurn: number.isMultiple(of: 5)) }
        #expect(evidence.approach == .browsing)
        for _ in 0..<100 { evidence.add(isOutOfTurn: false) }
        #expect(evidence.approach == .direct)
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
