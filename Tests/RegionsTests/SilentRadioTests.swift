import Facts
import Primitives
import Testing

@testable import Regions

@Suite("a radio that reports nothing")
struct SilentRadioTests {
    /// The events of beacons that all send twice a second in `heard`, and of which nothing is heard in the other seconds.
    ///
    /// - Parameter isQuiet: whether the radio reports no other device in these.
    private static func events(
        of beacons: UInt64, _ seconds: Range<Int>, isQuiet: Bool, heard: (Int) -> Bool
    ) -> [RegionEstimator.Publication] {
        var estimator = RegionEstimator(Scene.table { $0.exit = .seconds(20) })
        let reports = Dictionary(
            uniqueKeysWithValues: (1...beacons).map { (Tag(rawValue: $0), 2) })
        for second in seconds {
            let window = Scene.window(
                second, heard(second) ? reports : [:], isQuiet: isQuiet && !heard(second))
            estimator.take(window, from: "a")
        }
        return estimator.finish()
    }

    @Test("nobody leaves a radio that falls silent together with three beacons")
    func deaf() {
        let events = Self.events(of: 3, 0..<900, isQuiet: true) { $0 < 300 || $0 >= 600 }
        #expect(
            events.words
                == ["enter 2", "unknown 310", "enter 601"].flatMap {
                    Array(repeating: $0, count: 3)
                })
    }

    @Test("beacons leave a radio that goes on to report other devices, or two beacons a silent one")
    func absent() {
        let others = Self.events(of: 3, 0..<400, isQuiet: false) { $0 < 300 }
        #expect(others.map(\.event.kind).suffix(3) == [.exit, .exit, .exit])
        let pair = Self.events(of: 2, 0..<400, isQuiet: true) { $0 < 300 }
        #expect(pair.map(\.event.kind) == [.enter, .enter, .exit, .exit])
    }

    @Test("quiet seconds between the reports of slow beacons are no deafness")
    func slow() {
        var estimator = RegionEstimator(Scene.table { $0.exit = .seconds(20) })
        // Three beacons that are heard together once in five seconds, and a fourth one up to the second 300.
        for second in 0..<400 {
            let isHeard = second % 5 == 0
            let beacons: Range<UInt64> = 1..<(second < 300 ? 5 : 4)
            let reports = Dictionary(uniqueKeysWithValues: beacons.map { (Tag(rawValue: $0), 2) })
            estimator.take(
                Scene.window(second, isHeard ? reports : [:], isQuiet: !isHeard), from: "a")
        }
        let exits = estimator.finish().filter { $0.event.kind == .exit }
        #expect(exits.map(\.event.tag) == [Tag(rawValue: 4)])
        // Its last report is at the beginning of the second 295.
        #expect(exits.words == ["exit 315"])
    }

    /// Windows of five seconds; the radio dies in one at the second 301.
    @Test("a radio that dies within a wide window is deaf")
    func wide() {
        var estimator = RegionEstimator(Scene.table { $0.exit = .seconds(20) })
        for second in stride(from: 0, to: 400, by: 5) {
            let start = Scene.second(second).start
            let heard = second < 300 ? 5000 : second == 300 ? 1200 : 0
            let readings = (1...3).map {
                Reading(
                    tag: Tag(rawValue: $0), power: -85, count: heard / 500,
                    seen: start...start + .milliseconds(Int64(max(1, heard) - 1)), senders: 1)
            }
            estimator.take(
                WindowFact(
                    session: "1", numbers: UInt64(second)...UInt64(second),
                    span: start..<start + .seconds(5), isQuiet: heard == 0,
                    readings: heard == 0 ? [] : readings), from: "a")
        }
        let kinds = estimator.finish().map(\.event.kind)
        #expect(kinds == [.enter, .enter, .enter, .unknown, .unknown, .unknown])
    }

    /// The events of beacons that were in the region before a restart.
    private static func eventsAfterRestart(
        of beacons: UInt64, isQuiet: Bool = false, seconds: Int = 600, heard: (Int) -> Bool
    ) -> [RegionEstimator.Publication] {
        var estimator = RegionEstimator(Scene.table())
        for beacon in 1...beacons {
            estimator.restore(
                Tag(rawValue: beacon), Scene.subject, in: "r", at: Scene.second(-5).start)
        }
        for second in 0..<seconds {
            let window = Scene.window(
                second, heard(second) ? [Scene.visitor: 1] : [:], isQuiet: isQuiet)
            estimator.take(window, from: "a")
        }
        return estimator.finish()
    }

    @Test("after a restart, nobody leaves a radio that has been silent since")
    func deafAfterRestart() {
        #expect(Self.eventsAfterRestart(of: 3, isQuiet: true) { _ in false }.isEmpty)
        let absent = Self.eventsAfterRestart(of: 3) { _ in false }
        #expect(absent.map(\.event.kind) == [.exit, .exit, .exit])
    }

    @Test("after a restart and an hour of silence, nobody is there")
    func silentAfterRestart() {
        let events = Self.eventsAfterRestart(of: 3, isQuiet: true, seconds: 4000) { _ in false }
        #expect(events.map(\.event.kind) == [.exit, .exit, .exit])
    }

    @Test("after a restart, a beacon that is heard once in 20 s is still inside")
    func seldom() {
        #expect(Self.eventsAfterRestart(of: 1) { $0 % 20 == 5 }.isEmpty)
        let late = Self.eventsAfterRestart(of: 1) { $0 >= 200 && $0 % 20 == 5 }
        #expect(late.map(\.event.kind) == [.exit])
    }
}
