import Primitives
import Sightings
import TestVectors
import Testing

@testable import Agent

/// Steps of the wall clock align the windows again, and change nothing else.
@Suite struct ClockTests {
    private static let hour: Int64 = 3_600_000_000

    @Test(
        "a wall clock that jumps by hours makes no window negative, double or endless",
        arguments: [100_000, 1_000_000, 60_000_000, 600_000_000] as [Int64])
    func steps(width: Int64) {
        let seed = UInt64(width) &+ 11
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let start = Instant(microseconds: Int64.random(in: 0...10 * Self.hour, using: &random))
            var clock = WallClock(offset: .seconds(1_780_000_000), isSynchronised: false)
            var batches: [Batch] = []
            let first = Windows(
                Windows.Settings(width: .microseconds(width)), from: start, alignment: clock.offset,
                seed: HashSeed(1, 2))
            // Silent windows are not merged, so that each window is visible.
            var settings = Batcher.Settings()
            settings.maxSilence = .zero
            var listener = Listener(first, Batcher(settings))
            let event = Advertisements.legacyEvent(
                Advertisements.legacyReport(Advertisements.iBeacon(1)))
            var now = start
            var reports = 0
            var steps = 0
            for _ in 0..<200 {
                now = now.advanced(byMicroseconds: Int64.random(in: 0...width, using: &random))
                listener.advance(to: now) { batches.append($0) }
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    let step = Int64.random(in: -30 * Self.hour...30 * Self.hour, using: &random)
                    let later = WallClock(
                        offset: clock.offset + .microseconds(step), isSynchronised: true)
                    guard clock.update(later) else { break }
                    steps += 1
                    listener.turn(alignment: clock.offset, at: now) { batches.append($0) }
                case 1, 2:
                    event.withBytes { listener.process($0, at: now) { batches.append($0) } }
                    reports += 1
                default: break
                }
                let left = listener.deadline.microseconds(since: now)
                #expect(left > 0 && left <= width)
                #expect((listener.deadline + clock.offset).microseconds % width == 0)
            }
            listener.finish(at: now) { batches.append($0) }
            #expect(clock.steps == steps && steps > 0)
            #expect(batches.first?.interval.start == start)
            #expect(batches.last?.interval.end == now)
            for (batch, next) in zip(batches, batches.dropFirst()) {
                #expect(batch.interval.end == next.interval.start)
            }
            for batch in batches {
                #expect((0...width).contains(batch.interval.microseconds))
            }
            #expect(batches.compactMap(\.radio?.beacons).reduce(0, +) == reports)
        }
    }
}
