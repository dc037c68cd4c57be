import Beacons
import Primitives
import TestVectors
import Testing

@testable import Sightings

@Suite struct BatcherTests {
    private static func window(
        _ start: Int64, _ end: Int64, _ state: RadioState = .hearing, reports: Int = 0,
        sightings: Int = 0
    ) -> Window {
        var radio = RadioCounts()
        radio.reports = reports
        let sightings = (0..<sightings).map {
            Sighting(
                of: Advertisements.beacon(UInt16($0)), rssi: RSSI(dBm: -60),
                at: Instant(microseconds: start))
        }
        return Window(
            interval: Interval(
                start: Instant(microseconds: start), end: Instant(microseconds: end)),
            state: state, radio: radio, sightings: sightings)
    }

    private static func times(_ batches: [Batch]) -> [[Int64]] {
        batches.map { [$0.interval.start.microseconds, $0.interval.end.microseconds] }
    }

    @Test(
        "a window is split into the fewest parts that hold its sightings",
        arguments: [
            (1, [1]), (9, [9]), (10, [10]), (11, [10, 1]), (30, [10, 10, 10]),
            (31, [10, 10, 10, 1]),
        ])
    func cuts(count: Int, parts: [Int]) {
        var batcher = Batcher(Batcher.Settings(maxSightings: 10), nextSeq: 7)
        let window = Self.window(0, 1, reports: 5, sightings: count)
        let batches = batcher.on(window)
        #expect(batches.map(\.sightings.count) == parts)
        #expect(batches.flatMap(\.sightings) == window.sightings)
        #expect(batches.map(\.seq) == (0..<parts.count).map { 7 + UInt64($0) })
        #expect(batcher.nextSeq == 7 + UInt64(parts.count))
        for (index, batch) in batches.enumerated() {
            #expect(batch.radio == (index == 0 ? window.radio : nil))
            #expect(
                batch.part
                    == (parts.count == 1 ? nil : Batch.Part(index: index, of: parts.count)))
            #expect(batch.interval == window.interval)
        }
    }

    @Test(
        "adjacent silent windows merge up to maxSilence, and the first one is sent immediately"
    )
    func silence() {
        var batcher = Batcher(Batcher.Settings(maxSilence: .microseconds(10)))
        var batches: [Batch] = []
        for start in Int64(0)..<25 {
            batches += batcher.on(Self.window(start, start + 1, reports: 2))
            #expect(batches.count == 1 + Int(start) / 10, "a batch is sent when it is due")
        }
        batches += batcher.flush()
        #expect(Self.times(batches) == [[0, 1], [1, 11], [11, 21], [21, 25]])
        #expect(batches.map(\.radio?.reports) == [2, 20, 20, 8])
        #expect(batches.map(\.seq) == [0, 1, 2, 3])
        #expect(batches.allSatisfy { $0.part == nil && $0.sightings.isEmpty })
        #expect(batcher.flush().isEmpty)
    }

    @Test("a silent batch is sent before the next window with sightings")
    func order() {
        var batcher = Batcher(Batcher.Settings(maxSilence: .microseconds(10)))
        #expect(Self.times(batcher.on(Self.window(0, 1, sightings: 1))) == [[0, 1]])
        #expect(batcher.on(Self.window(1, 2)).isEmpty)
        #expect(batcher.on(Self.window(2, 3)).isEmpty)
        let batches = batcher.on(Self.window(3, 4, sightings: 1))
        #expect(Self.times(batches) == [[1, 3], [3, 4]])
        #expect(batches.map(\.seq) == [1, 2])
    }

    @Test("the first window of a new radio state is sent immediately")
    func turns() {
        var batcher = Batcher(Batcher.Settings(maxSilence: .microseconds(10)))
        #expect(batcher.on(Self.window(0, 1, .deaf)).map(\.state) == [.deaf])
        #expect(batcher.on(Self.window(1, 2, .deaf)).isEmpty)
        let hearing = batcher.on(Self.window(2, 3))
        #expect(Self.times(hearing) == [[1, 2], [2, 3]])
        #expect(hearing.map(\.state) == [.deaf, .hearing])
        #expect(batcher.on(Self.window(3, 4)).isEmpty)
        #expect(Self.times(batcher.on(Self.window(4, 5, .deaf))) == [[3, 4], [4, 5]])
    }

    @Test("silent windows do not merge across a gap")
    func hole() {
        var batcher = Batcher(Batcher.Settings(maxSilence: .microseconds(10)))
        #expect(Self.times(batcher.on(Self.window(0, 1))) == [[0, 1]])
        #expect(batcher.on(Self.window(1, 2)).isEmpty)
        #expect(Self.times(batcher.on(Self.window(3, 4))) == [[1, 2]])
        #expect(Self.times(batcher.flush()) == [[3, 4]])
    }

    @Test("silent windows do not merge across a retune")
    func silenceAcrossRetune() {
        var batcher = Batcher(Batcher.Settings())
        var batches: [Batch] = []
        for second in 0..<8 as Range<Int64> {
            let interval = Interval(
                start: Instant(microseconds: second * 1_000_000),
                end: Instant(microseconds: (second + 1) * 1_000_000))
            batches += batcher.on(Window(interval: interval, isRetuned: second == 5))
        }
        batches += batcher.flush()
        #expect(batches.map(\.interval.microseconds) == [1_000_000, 4_000_000, 3_000_000])
        #expect(batches.map(\.isRetuned) == [false, false, true])
    }

    @Test("with maxSilence 0, each window is a batch")
    func none() {
        var batcher = Batcher(Batcher.Settings(maxSilence: .zero))
        for start in Int64(0)..<3 {
            #expect(Self.times(batcher.on(Self.window(start, start + 1))) == [[start, start + 1]])
        }
    }

    @Test("a retune sends the pending silent batch, and the numbers continue")
    func retunes() {
        var batcher = Batcher(Batcher.Settings(maxSilence: .microseconds(10), maxSightings: 2))
        #expect(Self.times(batcher.on(Self.window(0, 1))) == [[0, 1]])
        #expect(batcher.on(Self.window(1, 2)).isEmpty)
        #expect(batcher.on(Self.window(2, 3)).isEmpty)
        let settings = Batcher.Settings(maxSilence: .microseconds(2), maxSightings: 1)
        let held = batcher.retune(settings)
        #expect(Self.times(held) == [[1, 3]])
        #expect(held.map(\.seq) == [1])
        #expect(batcher.settings == settings)
        #expect(batcher.retune(settings).isEmpty)
        #expect(batcher.on(Self.window(3, 4)).isEmpty)
        #expect(Self.times(batcher.on(Self.window(4, 5))) == [[3, 5]])
        #expect(batcher.on(Self.window(5, 6, sightings: 2)).map(\.seq) == [3, 4])
    }

    @Test(
        "random windows appear in the batches once each, in order", arguments: UInt64(0)..<300)
    func anyWindows(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let settings = Batcher.Settings(
            maxSilence: .microseconds(Int64.random(in: 0...30, using: &generator)),
            maxSightings: Int.random(in: 1...6, using: &generator))
        var batcher = Batcher(settings)
        var windows: [Window] = []
        var batches: [Batch] = []
        var time: Int64 = -50
        for _ in 0..<60 {
            let end = time + Int64.random(in: 1...5, using: &generator)
            let window = Self.window(
                time, end, generator.oneIn(8) ? .deaf : .hearing,
                reports: Int.random(in: 0...9, using: &generator),
                sightings: generator.oneIn(4) ? Int.random(in: 1...20, using: &generator) : 0)
            windows.append(window)
            batches += batcher.on(window)
            time = generator.oneIn(12) ? end + 3 : end
        }
        batches += batcher.flush()

        #expect(batches.map(\.seq) == (0..<UInt64(batches.count)).map { $0 }, "seed \(seed)")
        #expect(
            batches.flatMap(\.sightings) == windows.flatMap(\.sightings), "seed \(seed)")
        #expect(
            batches.compactMap(\.radio?.reports).reduce(0, +)
                == windows.map(\.radio.reports).reduce(0, +), "seed \(seed)")
        for batch in batches {
            #expect((batch.part?.index ?? 0 == 0) == (batch.radio != nil), "seed \(seed)")
            #expect(batch.sightings.count <= settings.maxSightings, "seed \(seed)")
            // Every batch is a row of adjacent windows of one state.
            let within = windows.filter {
                $0.interval.start >= batch.interval.start && $0.interval.end <= batch.interval.end
                    && ($0.interval.end > batch.interval.start)
            }
            #expect(within.first?.interval.start == batch.interval.start, "seed \(seed)")
            #expect(within.last?.interval.end == batch.interval.end, "seed \(seed)")
            #expect(within.allSatisfy { $0.state == batch.state }, "seed \(seed)")
            let length = within.map(\.interval.microseconds).reduce(0, +)
            #expect(length == batch.interval.microseconds, "no hole; seed \(seed)")
            #expect(
                within.count == 1 || .microseconds(length) <= settings.maxSilence, "seed \(seed)")
            if let radio = batch.radio {
                #expect(
                    radio.reports == within.map(\.radio.reports).reduce(0, +), "seed \(seed)")
            }
        }
    }
}
