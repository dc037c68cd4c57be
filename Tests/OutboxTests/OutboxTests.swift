import Beacons
import Sightings
import Testing

@testable import Outbox

@Suite("Outbox")
struct OutboxTests {
    @Test("hands batches out in order, no more than its window")
    func window() {
        var outbox = Outbox()
        for seq in 0..<30 { outbox.append(batch(UInt64(seq)), at: at(0)) }
        #expect(outbox.handOut() == Array(0..<20))
        outbox.acknowledge(7)
        #expect(outbox.handOut() == [20])
        outbox.window = 5
        outbox.acknowledge(0)
        #expect(outbox.handOut().isEmpty)
        #expect(outbox.depth == 28)
        #expect(outbox.inFlight == 19)
    }

    @Test(
        "keeps its window between one and twenty", arguments: [(-3, 1), (0, 1), (7, 7), (900, 20)])
    func clampedWindow(wanted: Int, got: Int) {
        var outbox = Outbox()
        outbox.window = wanted
        #expect(outbox.window == got)
    }

    @Test("repeats batches in flight first, in order, with the same stamp and the same loss")
    func redelivery() {
        var outbox = Outbox()
        let unset = Stamp(offset: .microseconds(7), clock: .unsynced)
        for seq in 2..<5 { outbox.append(batch(UInt64(seq)), stamp: unset, at: at(0)) }
        var first: [Entry] = []
        for offset in 0..<3 {
            let clock = Stamp(
                offset: .microseconds(Int64(offset)), clock: offset > 0 ? .synced : .unsynced)
            if let entry = outbox.next(at: at(1), clock: clock) { first.append(entry) }
        }
        outbox.acknowledge(3)
        outbox.connectionLost()
        #expect(outbox.inFlight == 0)
        outbox.append(batch(5), at: at(1))

        var second: [Entry] = []
        while let entry = outbox.next(
            at: at(1), clock: Stamp(offset: .microseconds(99), clock: .synced))
        {
            second.append(entry)
        }
        #expect(second.map(\.batch.seq) == [2, 4, 5])
        #expect(second.map(\.attempts) == [2, 2, 1])
        // The stamp of the first attempt stays.
        #expect(second.map(\.stamp.offset.microseconds) == [7, 2, 0])
        #expect(second.map(\.stamp.clock) == [.unsynced, .synced, .synced])
        #expect(second[0].lost == first[0].lost)
        #expect(second[0].lost == Loss(batches: 2, fromSeq: 0, toSeq: 1, reason: .mailboxFull))
        #expect(outbox.counters.published == 6)
        #expect(outbox.counters.repeated == 2)
    }

    @Test("drops the oldest batch that was never handed out, and declares it in a later one")
    func fullOutbox() {
        // Gaps between the batches prevent merging.
        let size = BatchHeader.cost(ofBody: 120)
        var outbox = Outbox(OutboxLimits(maxBytes: 4 * size))
        for seq in 0..<2 { outbox.append(batch(UInt64(seq)), at: at(0)) }
        #expect(outbox.handOut() == [0, 1])
        for seq in 2..<9 { outbox.append(batch(UInt64(seq) * 2), at: at(0)) }
        outbox.tick(at: at(3))
        #expect(outbox.counters.dropped > 0)
        let kept = outbox.depth - 2
        #expect(outbox.bytes <= 4 * size + 2 * batch(0).memoryCost)
        outbox.append(batch(17), at: at(3))
        let next = outbox.next(at: at(3))
        #expect(next?.batch.seq == 17)
        // Of the 15 numbers from 2 to 16, the kept ones are not lost.
        #expect(next?.lost?.batches == UInt64(15 - kept))
        #expect(next?.lost?.fromSeq == 2)
        #expect(next?.lost?.reason == .mailboxFull)
    }

    @Test("keeps a loss for the next batch if no batch is left to declare it")
    func pendingLoss() {
        var outbox = Outbox(OutboxLimits(maxBytes: 0))
        outbox.append(batch(0, sightings: 4), at: at(0))
        outbox.tick(at: at(2))
        #expect(outbox.depth == 0)
        #expect(outbox.undeclared == Loss(batches: 1, fromSeq: 0, toSeq: 0, reason: .outboxFull))
        outbox.append(batch(1), at: at(2))
        #expect(outbox.next(at: at(2))?.lost?.toSeq == 0)
        #expect(outbox.undeclared == nil)
    }

    @Test("declares numbers that never arrived, from the first on")
    func gaps() {
        var outbox = Outbox()
        var losses: [Loss?] = []
        for seq in [2, 3, 7] as [UInt64] {
            outbox.append(batch(seq), at: at(0))
            losses.append(outbox.next(at: at(0))?.lost)
        }
        let expected = [
            Loss(batches: 2, fromSeq: 0, toSeq: 1, reason: .mailboxFull), nil,
            Loss(batches: 3, fromSeq: 4, toSeq: 6, reason: .mailboxFull),
        ]
        #expect(losses == expected)
        #expect(outbox.counters.missed == 5)
    }

    @Test("ignores a repeated number, and accepts the highest number")
    func strangeNumbers() {
        var outbox = Outbox()
        outbox.append(batch(4), at: at(0))
        outbox.append(batch(4), at: at(0))
        outbox.append(batch(1), at: at(0))
        #expect(outbox.depth == 1)
        outbox.append(batch(.max), at: at(0))
        #expect(outbox.depth == 2)
        #expect(outbox.counters.missed == UInt64.max - 1)
    }

    @Test("declares a refused batch lost, with its own declared loss")
    func setAside() {
        var outbox = Outbox()
        outbox.append(batch(3), at: at(0))
        outbox.append(batch(4), at: at(0))
        #expect(outbox.handOut() == [3, 4])
        #expect(outbox.setAside(Entry.ID(rawValue: 3))?.seq == 3)
        #expect(outbox.setAside(Entry.ID(rawValue: 3)) == nil)
        outbox.append(batch(5), at: at(0))
        let next = outbox.next(at: at(0))
        #expect(next?.lost == Loss(batches: 4, fromSeq: 0, toSeq: 3, reason: .refused))
        #expect(outbox.counters.refused == 1)
    }

    @Test("a batch to retry delays all newer ones")
    func retry() {
        var outbox = Outbox()
        for seq in 0..<3 { outbox.append(batch(UInt64(seq)), at: at(0)) }
        outbox.window = 2
        #expect(outbox.handOut(at: at(1)) == [0, 1])
        outbox.retry(Entry.ID(rawValue: 0), notBefore: at(5))
        outbox.acknowledge(1)
        #expect(outbox.handOut(at: at(4)).isEmpty)
        #expect(outbox.handOut(at: at(5)) == [0, 2])
    }

    @Test("drops batches that are too old, unless they are in flight")
    func age() {
        var outbox = Outbox(OutboxLimits(maxAge: .seconds(3600)))
        for seq in 0..<4 { outbox.append(batch(UInt64(seq)), at: at(Int64(seq))) }
        outbox.window = 1
        #expect(outbox.handOut(at: at(10)) == [0])
        #expect(outbox.oldestAge(at: at(60)) == .seconds(60))
        outbox.tick(at: at(11))
        outbox.expire(at: at(3603))
        #expect(outbox.depth == 3)
        #expect(outbox.undeclared == Loss(batches: 1, fromSeq: 1, toSeq: 1, reason: .tooOld))
        outbox.connectionLost()
        outbox.expire(at: at(3603))
        #expect(outbox.undeclared == Loss(batches: 2, fromSeq: 0, toSeq: 1, reason: .tooOld))
        let rest = outbox.drain(from: 3603)
        #expect(rest.map(\.batch.seq) == [2, 3])
        #expect(rest.map { $0.lost?.batches } == [2, nil])
    }

    @Test("ignores an answer for a batch outside the window")
    func strayAnswers() {
        var outbox = Outbox()
        outbox.append(batch(0), at: at(0))
        let acknowledged = outbox.acknowledge(Entry.ID(rawValue: 0))
        #expect(!acknowledged)
        outbox.retry(Entry.ID(rawValue: 9), notBefore: at(9))
        #expect(outbox.handOut() == [0])
        #expect(outbox.counters.acknowledged == 0)
    }

    @Test("the memory cost includes all sightings")
    func cost() {
        let one = batch(0, sightings: 1).memoryCost
        let many = batch(0, sightings: 101).memoryCost
        #expect(many - one == 100 * MemoryLayout<Sighting>.stride)
        #expect(one > MemoryLayout<Batch>.stride + MemoryLayout<Sighting>.stride)
    }
}
