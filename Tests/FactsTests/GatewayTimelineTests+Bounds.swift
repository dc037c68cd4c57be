import Foundation
import Primitives
import Sightings
import Testing

@testable import Facts

extension GatewayTimelineTests {
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
}
