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
        let again = TagRecord(record.absent, tag, gateways: 2)
        #expect(again.levels.map(\.value) == [HoldFilter.floor, HoldFilter.floor])
        #expect(again.loudest.map(\.power) == [nil, nil])
    }

    @Test("a tag that has left is a fifth of one that is present, and keeps its usual levels")
    func absent() {
        let tag = Tag(rawValue: 1)
        var record = TagRecord(tag, gateways: 2, queues: 3, isNamed: false, second: 0)
        let levels = RoleLevels(entry: -3, till: -30, loudestTill: 0, loudest: -3)
        for second: UnixSecond in [0, 1, 2] {
            _ = record.tracks[0].on(levels, KnowledgeGaps(), PresenceCalibration(), at: second)
        }
        _ = record.tracks[0].finish()
        let again = TagRecord(record.absent, tag, gateways: 2)
        let before = record.tracks[0].own
        #expect(again.tracks[0].own == before && again.tracks[1].own != before)
        let present = MemoryLayout<TagRecord>.size + 3 * MemoryLayout<LineTrack>.stride
        let absent = MemoryLayout<AbsentTag>.size + 3 * MemoryLayout<LineTrack.OwnLevels>.stride
        #expect(absent * 5 < present, "\(absent) of \(present) bytes")
    }
}
