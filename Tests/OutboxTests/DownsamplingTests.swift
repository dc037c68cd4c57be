import Primitives
import Sightings
import Testing

@testable import Outbox

@Suite("downsampling")
struct DownsamplingTests {
    /// Stores batches within a size limit, and returns the stored batches.
    private func kept(
        _ batches: [Batch], maxBytes: Int, maxSightings: Int = 500, stamp: (Batch) -> Stamp
    ) throws -> (
        results: [StoredBatch], ledger: LossLedger
    ) {
        var bounded = BoundedStore(MemoryStore(), maxBytes: maxBytes, maxSightings: maxSightings)
        var ledger = LossLedger(session: "s")
        for batch in batches {
            let stored = StoredBatch(
                origin: Origin(session: "s"), batch: batch, stamp: stamp(batch))
            _ = try bounded.append(stored, isFinal: false)
            try bounded.makeRoom(&ledger)
        }
        let store = bounded.store
        let rows = try store.headers(after: 0, limit: .max)
        let results = try rows.map {
            try StoredBatch(decoding: try store.body(of: $0.id) ?? [])
        }
        return (results, ledger)
    }

    @Test("the oldest windows become 10 s, then 60 s, then 10 min wide, aligned with UTC")
    func grids() throws {
        let offset: Int64 = 3_000_000
        let shifted = Stamp(offset: .microseconds(offset), clock: .synced)
        let batches = (0..<3000).map { batch($0, sightings: 2) }
        let (results, ledger) = try kept(batches, maxBytes: 6000) { _ in shifted }
        #expect(ledger.losses.isEmpty)
        #expect(results.map(\.batch.numbers.lowerBound).first == 0)
        #expect(results.map(\.batch.numbers.upperBound).last == 2999)
        var widths: Set<Int64> = []
        for (index, stored) in results.enumerated() {
            let interval = stored.batch.interval
            if index > 0 {
                #expect(results[index - 1].batch.interval.end == interval.start)
                #expect(
                    interval.microseconds <= results[index - 1].batch.interval.microseconds
                        || index == 1, "the oldest are the coarsest")
            }
            widths.insert(interval.microseconds)
            let cell = [1, 10, 60, 600].map { $0 * 1_000_000 }.first { $0 >= interval.microseconds }
            let start = interval.start.microseconds + offset
            let end = interval.end.microseconds + offset - 1
            if let cell { #expect(start / cell == end / cell) }
        }
        #expect(widths.isSuperset(of: [600_000_000, 60_000_000, 10_000_000, 1_000_000]))
        let counts = results.reduce(0) { $0 + $1.batch.sightings.reduce(0) { $0 + $1.count } }
        #expect(counts == 6000)
        #expect(results.reduce(0) { $0 + ($1.batch.radio?.reports ?? 0) } == 6000)
    }

    @Test("a merged window has the same statistics as one window of that width")
    func exactness() throws {
        let batches = (0..<10).map { (second: Int64) -> Batch in
            let start = at(second)
            let all = [sighting(1, count: 3, from: start, rssi: -70 + Int8(second))]
            return Batch(
                seq: UInt64(second), interval: Interval(start: start, end: at(second + 1)),
                radio: RadioCounts(), sightings: all[...])
        }
        let results = batches.map {
            StoredBatch(origin: Origin(session: "s"), batch: $0, stamp: stamp)
        }
        let merged = try #require(StoredBatch.merged(results, maxSightings: 500).first)
        #expect(merged.batch.seq == 9)
        #expect(merged.batch.seqs == 0...9)
        let sum = try #require(merged.batch.sightings.first)
        #expect(sum.count == 30)
        #expect(sum.firstSeen == at(0))
        #expect(sum.lastSeen == batches[9].sightings.first?.lastSeen)
        #expect(sum.signal.min == -70)
        #expect(sum.signal.max == -61)
        #expect(sum.signal.maxAt == at(9))
    }

    @Test("windows with different states or stamps, or with a gap between them, are never merged")
    func boundaries() throws {
        let seconds = (0..<400).filter { $0 % 50 != 7 }
        let batches = seconds.map { (second: Int) -> Batch in
            Batch(
                seq: UInt64(second),
                interval: Interval(start: at(Int64(second)), end: at(Int64(second) + 1)),
                state: second % 100 < 30 ? .deaf : .hearing, radio: RadioCounts(),
                sightings: [])
        }
        let (results, ledger) = try kept(batches, maxBytes: 5000) { batch in
            Stamp(offset: .zero, clock: batch.seq < 215 ? .unsynced : .synced)
        }
        for stored in results {
            let numbers = stored.batch.numbers
            #expect(Set(numbers.map { $0 % 100 < 30 }).count == 1)
            #expect(Set(numbers.map { $0 < 215 }).count == 1)
            #expect(!numbers.contains { $0 % 50 == 7 })
            #expect(stored.batch.interval.microseconds == Int64(numbers.count) * 1_000_000)
        }
        #expect(results.contains { $0.batch.seqs != nil })
        // The oldest batches that cannot be merged are dropped and declared.
        if let lost = ledger.losses["s"] {
            #expect(lost.toSeq < results.first?.batch.numbers.lowerBound ?? 0)
        }
    }

    @Test("windows are never merged across a retune, and keep its mark")
    func retunes() throws {
        let firsts: Set<UInt64> = [25, 26, 100, 163]
        let batches = (0..<300).map { (second: UInt64) -> Batch in
            let start = at(Int64(second))
            return Batch(
                seq: second, interval: Interval(start: start, end: at(Int64(second) + 1)),
                isRetuned: firsts.contains(second), radio: RadioCounts(), sightings: [])
        }
        let (results, ledger) = try kept(batches, maxBytes: 2000) { _ in stamp }
        #expect(ledger.losses.isEmpty)
        var begun: Set<UInt64> = []
        for batch in results.map(\.batch) {
            #expect(firsts.isDisjoint(with: batch.numbers.dropFirst()))
            if batch.isRetuned { begun.insert(batch.numbers.lowerBound) }
        }
        #expect(begun == firsts)
        #expect(results.contains { $0.batch.isRetuned && $0.batch.seqs != nil })
    }

    @Test("windows in parts are merged completely, and split again")
    func parts() throws {
        let batches = (0..<120).map { (seq: Int) -> Batch in
            let (second, part) = seq.quotientAndRemainder(dividingBy: 3)
            let start = at(Int64(second))
            let all = [0, 1].map { sighting(UInt16(part * 2 + $0), from: start) }
            return Batch(
                seq: UInt64(seq), interval: Interval(start: start, end: at(Int64(second) + 1)),
                radio: part == 0 ? RadioCounts() : nil,
                part: Batch.Part(index: part, of: 3), sightings: all[...])
        }
        let (results, ledger) = try kept(batches, maxBytes: 8000, maxSightings: 2) { _ in stamp }
        #expect(ledger.losses.isEmpty)
        var next: UInt64 = 0
        var counts = 0
        for stored in results {
            #expect(stored.batch.numbers.lowerBound == next)
            next = stored.batch.numbers.upperBound + 1
            #expect(stored.batch.sightings.count == 2)
            #expect(stored.batch.part?.of == 3)
            #expect((stored.batch.radio != nil) == (stored.batch.part?.index == 0))
            counts += stored.batch.sightings.reduce(0) { $0 + $1.count }
        }
        #expect(next == 120)
        #expect(counts == 240)
        #expect(results.contains { $0.batch.interval.microseconds == 10_000_000 })
    }
}
