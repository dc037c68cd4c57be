import Facts
import Testing

@testable import Queueing

@Suite("the track of a tag")
struct LineTrackTests {
    private typealias Levels = (entry: Double?, till: Double?)

    /// The tag joins, waits, leaves the till, and is silent.
    private static let visit: [Levels] =
        Array(repeating: (-14, -24), count: 8) + Array(repeating: (0, -12), count: 5)
        + Array(repeating: (-9, -8), count: 80) + Array(repeating: (-13, 0), count: 15)
        + Array(repeating: (-20, -12), count: 8) + Array(repeating: (nil, nil), count: 80)

    /// A track that hears levels, second by second.
    private struct Hearing {
        var track = LineTrack()
        private(set) var second: UnixSecond
        private var entry = HoldFilter()
        private var till = HoldFilter()
        private var lastHeard: UnixSecond?

        init(from second: UnixSecond) { self.second = second }

        mutating func hear(_ levels: Levels) -> [LineStay] {
            entry.hear(levels.entry)
            till.hear(levels.till)
            if levels.entry != nil || levels.till != nil { lastHeard = second }
            defer { second = second.next }
            return track.on(
                RoleLevels(
                    entry: entry.value, till: till.value, loudestTill: 0,
                    loudest: max(entry.value, till.value), lastHeard: lastHeard), KnowledgeGaps(),
                PresenceCalibration(),
                at: second
            ).direct
        }
    }

    private static let start = UnixSecond(1_780_002_000)

    /// The stays of the visit after some seconds at one level, and half a minute of silence.
    private static func stays(after seconds: Int, at level: Double) -> [LineStay] {
        let earlier: [Levels] =
            Array(repeating: (level, level), count: seconds)
            + Array(repeating: (nil, nil), count: 30)
        var hearing = Hearing(from: start.advanced(by: -earlier.count))
        let stays = (earlier + visit).flatMap { hearing.hear($0) }
        return stays + hearing.track.finish().direct
    }

    @Test("a tag heard from afar before its visit has the same visit", arguments: [60, 600])
    func far(seconds: Int) throws {
        let visit = try #require(Self.stays(after: 0, at: 0).first)
        #expect(visit.isVisit && visit.end == .served)
        #expect(Self.stays(after: seconds, at: -35) == [visit])
    }

    @Test("a tag that falls silent at the till has left at its last report")
    func silentAtTill() throws {
        var hearing = Hearing(from: Self.start)
        var stays: [LineStay] = []
        // The last report is the one of second 108.
        for levels in Self.visit.prefix(108) + Array(repeating: (nil, nil), count: 80) {
            stays += hearing.hear(levels)
        }
        let visit = try #require(stays.first)
        #expect(stays.count == 1 && visit.isVisit)
        #expect(visit.left.second == Self.start.advanced(by: 107))
    }

    @Test("a stay that is over is in the view until it is final")
    func view() {
        var hearing = Hearing(from: Self.start)
        var final: [LineStay] = []
        // The till is left after 108 seconds.
        for (index, levels) in Self.visit.enumerated() {
            let second = hearing.second
            final += hearing.hear(levels)
            guard index > 120 else { continue }
            #expect(
                final.count
                    + hearing.track.view(
                        .direct, PresenceCalibration(), KnowledgeGaps(), at: second
                    )
                    .left.count == 1)
        }
        #expect(final.count == 1)
    }

    @Test("a tag beside a gateway along the line is near, also where entry and till do not hear it")
    func along() {
        var track = LineTrack()
        for second in 0..<60 as Range<Int64> {
            _ = track.on(
                RoleLevels(
                    entry: HoldFilter.floor, till: HoldFilter.floor, loudestTill: 0, loudest: -2),
                KnowledgeGaps(), PresenceCalibration(), at: UnixSecond(second))
        }
        let view = track.view(.direct, PresenceCalibration(), KnowledgeGaps(), at: 59)
        #expect(view.mayHaveJoined(in: 0..<30))
    }

    @Test("an absence costs more than the bound of a stay")
    func absence() {
        #expect(LineScores(.silent, ShoppingMode.direct.models).stay < -LineModel.direct.stay.bound)
    }
}
