import Foundation
import Primitives
import Sightings
import Testing

@testable import Facts

@Suite("the timeline of a gateway")
struct GatewayTimelineTests {
    private static let start = Scene.start.start

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

    private static func seconds(
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

    @Test("a gateway has a bounded number of sessions; those whose windows are folded make room")
    func sessions() {
        var timeline = GatewayTimeline()
        let take = { (session: String, second: Int64) in
            timeline.take(Scene.window(second, session: session))
        }
        // As many windows a second as one second can have.
        let seconds = Int64(SessionLedgers.most / PendingWindows.mostOfSecond)
        for session in 0..<SessionLedgers.most {
            #expect(take("\(session)", Int64(session) % seconds) == .new)
        }
        #expect(take("more", seconds) == .excess)
        #expect(take("0", 0) == .repeated)
        #expect(take("0", seconds) == .new)
        _ = timeline.settle(upTo: .max)
        for second in 0..<seconds { _ = timeline.second(Scene.second(second)) }
        #expect(take("more", seconds) == .new)
        // The session "0" has a window that is not folded.
        #expect(take("0", seconds) == .repeated)
        #expect(take("1", 0) == .late)
    }

    @Test("a second has a bounded number of windows, in any order; the others are left out")
    func crowdedSecond() {
        var timeline = GatewayTimeline()
        let most = UInt64(PendingWindows.mostOfSecond)
        for number in (1...most + 50).reversed() {
            let window = WindowFact(
                session: "a", numbers: number...number, span: Scene.second(3).span, readings: [])
            #expect(timeline.take(window) == (number > 50 ? .new : .excess))
        }
        #expect(timeline.take(Scene.window(2)) == .new)
        #expect(timeline.take(Scene.window(4)) == .new)
        #expect(timeline.pendingBytes < 400 * Int(most + 2))
    }

    @Test("released windows take the room of others until they come back")
    func crowdedBacklog() {
        var timeline = GatewayTimeline()
        let most = GatewayTimeline.mostOfSecond
        let windows = (1...UInt64(most) + 50).map {
            WindowFact(session: "a", numbers: $0...$0, span: Scene.second(3).span, readings: [])
        }
        // The watermark stands at this window, which stays.
        #expect(timeline.take(Scene.window(1, session: "b")) == .new)
        let end = Scene.second(10).start
        for (index, window) in windows.enumerated() {
            #expect(timeline.take(window) == (index < most ? .new : .excess))
            if index % 100 == 99 { _ = timeline.release(in: .min..<end) }
        }
        #expect(timeline.pendingBytes < 1000)
        timeline.restore(Array(windows.prefix(most)), before: end, isLast: true)
        #expect(timeline.pendingBytes > 300 * most)
        #expect(timeline.take(windows[most]) == .excess)
    }

    @Test(
        "windows that were released and come back change no second",
        arguments: 0..<20 as Range<UInt64>)
    func released(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let windows = (0..<60 as Range<Int64>).filter { _ in
            Int.random(in: 0..<6, using: &random) > 0
        }
        .map { Scene.window($0, powers: [(UInt64($0 % 3), -60)]) }
        var whole = GatewayTimeline()
        for window in windows { _ = whole.take(window) }
        var parts = whole
        let start = Scene.second(.random(in: 1..<50, using: &random)).start
        let oldest = parts.release(in: start..<Scene.second(60).start)
        #expect(parts.pendingBytes < whole.pendingBytes)
        let middle = Scene.second(.random(in: 50..<60, using: &random)).start
        let back = windows.filter { $0.span.lowerBound >= oldest ?? .max }
        let bound = Scene.second(60).start
        _ = whole.settle(upTo: bound)
        // It stops where it may lack a window.
        #expect(parts.settle(upTo: bound) < whole.settle(upTo: bound) || !parts.isBlocked)
        parts.restore(back.filter { $0.span.lowerBound < middle }, before: middle, isLast: false)
        _ = parts.settle(upTo: bound)
        parts.restore(back.filter { $0.span.lowerBound >= middle }, before: bound, isLast: true)
        #expect(parts.settle(upTo: bound) == whole.settle(upTo: bound))
        #expect(parts.pendingBytes == whole.pendingBytes)
        for second in 0..<60 as Range<Int64> {
            #expect(parts.second(Scene.second(second)) == whole.second(Scene.second(second)))
        }
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

    @Test("a message that is left out explains no hole: after a restart, it is not known")
    func leftOut() {
        let loss = Loss(batches: 1, fromSeq: 2, toSeq: 2, reason: .outboxFull)
        let number = { (number: UInt64, isSynced: Bool, lost: Loss?) in
            WindowFact(
                session: "a", numbers: number...number,
                span: Scene.second(Int64(number)).span, isSynced: isSynced, lost: lost,
                readings: [])
        }
        let windows = [number(1, true, nil), number(3, false, loss), number(4, true, nil)]
        let states = Self.seconds(windows, 1..<5)
        #expect(states.map(\.unknown) == [0, 1, 1, 0].map { .seconds($0) })
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
}
