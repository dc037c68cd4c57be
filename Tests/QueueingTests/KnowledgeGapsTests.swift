import Testing

@testable import Facts
@testable import Queueing

@Suite("times without knowledge")
struct KnowledgeGapsTests {
    private static func gaps(_ stretches: Range<UnixSecond>...) -> KnowledgeGaps {
        var gaps = KnowledgeGaps()
        for second in stretches.flatMap(Array.init) { gaps.add(unknown: second..<second.next) }
        return gaps
    }

    @Test("a second stretch does not hide the first one from the edges that are scored after it")
    func twoStretches() {
        let gaps = Self.gaps(100..<110, 118..<119)
        #expect(gaps.unknown(before: 110) == 100..<110)
        #expect(gaps.unknown == 118..<119)
        let edge = EdgeDate(110, unknown: gaps.stretches)
        #expect(edge.earliest == 100 && edge.latest == 110)
        let between = EdgeDate(115, unknown: gaps.stretches)
        #expect(between.earliest == 100 && between.latest == 119)
        #expect(EdgeDate(90, unknown: gaps.stretches).isExact)
    }

    @Test("stretches that no edge can be near are forgotten")
    func forgotten() {
        var gaps = Self.gaps(100..<103)
        for second in stride(from: 200, to: 100_000, by: 2) as StrideTo<Int64> {
            gaps.add(unknown: UnixSecond(second)..<UnixSecond(second + 1))
        }
        #expect(gaps.stretches.count < 50)
    }

    @Test("three seconds hide a person, and so does the time before the first one")
    func hiding() {
        #expect(Self.gaps(100..<102).hiding == nil)
        #expect(Self.gaps(100..<103, 120..<121).hiding == 100..<103)
        #expect(KnowledgeGaps(from: 50).hiding == 49..<50)
        #expect(!KnowledgeGaps(from: 50).isUnseen(at: 50))
    }

    @Test("a tag that was loud when its gateway fell deaf is not there when it comes back")
    func returning() {
        let tag = Tag(rawValue: 1)
        var record = TagRecord(tag, gateways: 2, queues: 1, isNamed: false, second: 0)
        let loud = GatewaySecond.Level(tag: tag, power: -58, senders: 1)
        let seconds = [
            GatewaySecond(heard: .seconds(1), levels: [loud]), GatewaySecond(heard: .seconds(1)),
        ]
        var powers = TagPowers(seconds)
        powers.go(to: tag)
        let close = CloseLevels([CloseLevel(), CloseLevel()], roles: [])
        record.on(powers, seconds, close, at: 0)
        #expect(record.levels[0].value == 0)
        #expect(record.leave() == [nil, nil])
        #expect(record.levels.allSatisfy { $0.value == HoldFilter.floor })
    }
}
