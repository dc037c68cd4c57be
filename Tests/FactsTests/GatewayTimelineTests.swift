import Foundation
import Primitives
import Sightings
import Testing

@testable import Facts

@Suite("the timeline of a gateway")
struct GatewayTimelineTests {
    static let start = Scene.start.start

    private static func time(_ milliseconds: Int64) -> UnixTime {
        start + .milliseconds(milliseconds)
    }

    private static func merged(
        _ numbers: ClosedRange<UInt64>, seconds: Range<Int64>, seen: Range<Int64>, power: Double
    ) -> WindowFact {
        WindowFact(
            session: "a", numbers: numbers,
            span: time(seconds.lowerBound * 1000)..<time(seconds.upperBound * 1000),
            readings: [
                Reading(
                    tag: Tag(rawValue: 1), power: power, count: 9,
                    seen: time(seen.lowerBound * 1000)...time(seen.upperBound * 1000 - 1),
                    senders: 1)
            ])
    }

    static func seconds(
        _ windows: [WindowFact], _ range: Range<Int64>
    ) -> [GatewaySecond] {
        var timeline = GatewayTimeline()
        for window in windows { _ = timeline.take(window) }
        _ = timeline.settle(upTo: .max)
        return range.map { timeline.second(Scene.second($0)) }
    }

    @Test("a second without a message is unknown, and lost once the gateway declares it")
    func holes() {
        let loss = Loss(batches: 2, fromSeq: 2, toSeq: 3, reason: .outboxFull)
        let silent = Self.seconds([0, 1, 4].map { Scene.window($0) }, 0..<5)
        #expect(silent.map(\.unknown) == [0, 0, 1, 1, 0].map { .seconds($0) })
        let declared = Self.seconds(
            [0, 1].map { Scene.window($0) } + [Scene.window(4, lost: loss)], 0..<5)
        #expect(declared.map(\.lost) == [0, 0, 1, 1, 0].map { .seconds($0) })
        #expect(declared.allSatisfy { $0.unknown == .zero })
    }

    @Test("a second is quiet if a window says so; else the last one that reported has a start")
    func quiet() {
        func window(_ second: Int64, isQuiet: Bool) -> WindowFact {
            let number = UInt64(second)
            return WindowFact(
                session: "a", numbers: number...number, span: Scene.second(second).span,
                isQuiet: isQuiet, readings: [])
        }
        let seconds = Self.seconds(
            [window(0, isQuiet: false), window(1, isQuiet: true)], 0..<3)
        #expect(seconds.map(\.isQuiet) == [false, true, false])
        #expect(seconds.map(\.reportsSince) == [Self.start, nil, nil])
    }

    @Test("a loss of fewer messages than are missing explains nothing yet")
    func partialLoss() {
        var ledger = SessionLedger()
        let loss = Loss(batches: 1, fromSeq: 2, toSeq: 3, reason: .outboxFull)
        ledger.take(Scene.window(1))
        ledger.take(Scene.window(4, lost: loss))
        #expect(!ledger.accounts(for: 2...3))
        ledger.take(Scene.window(3))
        #expect(ledger.accounts(for: 2...3))
    }

    @Test("deaf and heard milliseconds of a second are counted apart")
    func deaf() {
        let windows = [
            WindowFact(
                session: "a", numbers: 0...0, span: Self.time(0)..<Self.time(300),
                readings: []),
            WindowFact(
                session: "a", numbers: 1...1,
                span: Self.time(300)..<Self.time(1000), state: .deaf,
                readings: []),
        ]
        let states = Self.seconds(windows, 0..<1)
        #expect(states[0].heard == .milliseconds(300))
        #expect(states[0].deaf == .milliseconds(700))
        #expect(!states[0].isHeard)
    }

    @Test("where a merged window repeats finer ones, the finer ones count, in any order")
    func merged() {
        let fine = Scene.window(2, powers: [(1, -60)])
        let wide = Self.merged(0...9, seconds: 0..<10, seen: 2..<5, power: -70)
        for windows in [[fine, wide], [wide, fine], [wide, fine, wide, fine]] {
            let powers = Self.seconds(windows, 0..<10).map { $0.levels.first?.power }
            #expect(powers == [nil, nil, -60, -70, -70, nil, nil, nil, nil, nil])
        }
    }

    @Test("reports of two narrow windows in a second have their mean in milliwatts")
    func mean() throws {
        let reading = { (power: Double, count: Int, at: Int64) in
            Reading(
                tag: Tag(rawValue: 1), power: power, count: count,
                seen: Self.time(at)...Self.time(at), senders: 1)
        }
        let windows = [
            WindowFact(
                session: "a", numbers: 0...0, span: Self.time(0)..<Self.time(500),
                readings: [reading(-60, 3, 0)]),
            WindowFact(
                session: "a", numbers: 1...1,
                span: Self.time(500)..<Self.time(1000),
                readings: [reading(-70, 1, 500)]),
        ]
        let level = try #require(Self.seconds(windows, 0..<1)[0].levels.first)
        // 10 · log10((3 · 10⁻⁶ + 10⁻⁷) / 4)
        #expect(abs(level.power - -61.1069830) < 0.000001)
    }

    @Test(
        "the centre of the power shows the slope within a wide window",
        arguments: [-2.0, -1, 0, 1, 2])
    func slope(decibels: Double) throws {
        // Ten reports a second over five seconds, with a power that changes evenly.
        let reports = (0..<50).map {
            (at: Double($0) * 100 + 50, power: -70 + decibels * Double($0) / 10)
        }
        let milliwatts = reports.map { pow(10, $0.power / 10) }
        let total = milliwatts.reduce(0, +)
        let centre = zip(reports, milliwatts).reduce(0.0) { $0 + $1.0.at * $1.1 } / total
        let window = WindowFact(
            session: "a", numbers: 0...0, span: Self.time(0)..<Self.time(5000),
            readings: [
                Reading(
                    tag: Tag(rawValue: 1), power: 10 * log10(total / 50), count: 50,
                    seen: Self.time(50)...Self.time(4950), centroid: Self.time(Int64(centre)),
                    senders: 1)
            ])
        for (second, state) in Self.seconds([window], 0..<5).enumerated() {
            let truth = -70 + decibels * (Double(second) + 0.5)
            let level = try #require(state.levels.first)
            #expect(abs(level.power - truth) < 0.5, "second \(second)")
        }
    }

    @Test("the watermark stops at a hole until a window or a declaration fills it")
    func watermark() {
        var timeline = GatewayTimeline()
        let end = { (second: Int64) in Scene.second(second).start }
        for second in [0, 1, 3] as [Int64] { _ = timeline.take(Scene.window(second)) }
        #expect(timeline.settle(upTo: end(0)) == end(2))
        #expect(timeline.take(Scene.window(1)) == .repeated)
        _ = timeline.take(Scene.window(2))
        #expect(timeline.settle(upTo: end(0)) == end(4))
    }

    @Test("of a window that reaches into final seconds, nothing counts")
    func partlyLate() {
        var timeline = GatewayTimeline()
        timeline.isFinal = true
        _ = timeline.take(Scene.window(0))
        _ = timeline.second(Scene.second(0))
        let window = Self.merged(1...3, seconds: 0..<3, seen: 0..<3, power: -60)
        #expect(timeline.take(window) == .late)
        // A copy for the present uses what it can.
        timeline.isFinal = false
        #expect(timeline.take(window) == .new)
        #expect(timeline.second(Scene.second(1)).heard == .seconds(1))
    }

    @Test("a loss is declared by the first part of a window, before the others arrive")
    func lossBeforeParts() {
        var timeline = GatewayTimeline()
        let loss = Loss(batches: 2, fromSeq: 1, toSeq: 2, reason: .outboxFull)
        _ = timeline.take(Scene.window(0))
        let part = WindowFact(
            session: "a", numbers: 3...3, parts: 2, span: Scene.second(3).span, lost: loss,
            readings: [])
        _ = timeline.take(part)
        let end = { (second: Int64) in Scene.second(second).start }
        #expect(timeline.settle(upTo: end(0)) == end(3))
        #expect(timeline.second(Scene.second(1)).lost == .seconds(1))
    }

    @Test("a message about a second that is final is late")
    func late() {
        var timeline = GatewayTimeline()
        _ = timeline.take(Scene.window(5))
        _ = timeline.second(Scene.second(5))
        #expect(timeline.take(Scene.window(4)) == .late)
        #expect(timeline.take(Scene.window(6)) == .new)
    }

    @Test("a set of numbers knows its ranges", arguments: [1, 2, 3, 4] as [UInt64])
    func numbers(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var set = SequenceNumbers()
        var model: Set<UInt64> = []
        for _ in 0..<60 {
            let first = UInt64.random(in: 0..<100, using: &random)
            let last = min(120, first + UInt64.random(in: 0..<4, using: &random))
            set.insert(first...last)
            model.formUnion(first...last)
            let start = UInt64.random(in: 0..<100, using: &random)
            let range = start...start + UInt64.random(in: 0..<10, using: &random)
            #expect(set.contains(range) == model.isSuperset(of: range))
            #expect(set.missing(in: range) == UInt64(Set(range).subtracting(model).count))
        }
    }

    @Test("the reports of a wide window are spread over the time in which it heard the tag")
    func spreadReports() throws {
        let span = Scene.second(0).start..<Scene.second(10).start
        let seen = Scene.second(2).start...Scene.second(6).start - .milliseconds(1)
        let wide = WindowFact(
            session: "a", numbers: 0...9, span: span,
            readings: [
                Reading(tag: Tag(rawValue: 1), power: -70, count: 12, seen: seen, senders: 1)
            ])
        var timeline = GatewayTimeline()
        #expect(timeline.take(wide) == .new)
        _ = timeline.settle(upTo: .max)
        let levels = (0..<10).map { timeline.second(Scene.second($0)).levels.first }
        #expect(levels.map { $0?.reports } == [nil, nil, 3, 3, 3, 3, nil, nil, nil, nil])
        let third = try #require(levels[3])
        #expect(third.seen.lowerBound == Scene.second(3).start)
        #expect(third.seen.upperBound == Scene.second(4).start - .milliseconds(1))
    }

    @Test("windows of two measurements share the memory of equal readings, and of no others")
    func sharing() {
        func place(_ window: WindowFact) -> UnsafeRawPointer? {
            window.packed.bytes.withUnsafeBytes { $0.baseAddress }
        }
        let first = Scene.window(1, powers: [(1, -60)])
        var readings: PackedReadings?
        #expect(place(first.sharing(&readings)) == place(first))
        #expect(place(Scene.window(2, powers: [(1, -60)]).sharing(&readings)) == place(first))
        let other = Scene.window(3, powers: [(1, -61)])
        #expect(place(other.sharing(&readings)) == place(other))
    }
}
