import Beacon
import Sighting
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

    @Test("sends what was in flight again first, in order, with the same stamp and the same loss")
    func redelivery() {
        var outbox = Outbox(OutboxLimits(maxBytes: 3 * Outbox.cost(of: batch(0))))
        for seq in 0..<5 { outbox.append(batch(UInt64(seq)), at: at(0)) }
        var first: [Entry] = []
        for offset in 0..<3 {
            let stamp = Stamp(offset: Int64(offset), clock: offset > 1 ? .synced : .unsynced)
            if let entry = outbox.next(at: at(1), stamp: { stamp }) { first.append(entry) }
        }
        outbox.acknowledge(3)
        outbox.connectionLost()
        #expect(outbox.inFlight == 0)
        outbox.append(batch(5), at: at(2))

        var second: [Entry] = []
        while let entry = outbox.next(at: at(3), stamp: { Stamp(offset: 99, clock: .synced) }) {
            second.append(entry)
        }
        #expect(second.map(\.batch.seq) == [2, 4, 5])
        #expect(second.map(\.attempts) == [2, 2, 1])
        #expect(second.map(\.stamp.offset) == [0, 2, 99])
        #expect(second[0].lost == first[0].lost)
        #expect(second[0].lost == Loss(batches: 2, fromSeq: 0, toSeq: 1, reason: .outboxFull))
        #expect(outbox.counters.published == 6)
        #expect(outbox.counters.repeated == 2)
    }

    @Test("drops the oldest batch never handed out, and says so in the one behind it")
    func fullOutbox() {
        var outbox = Outbox(OutboxLimits(maxBytes: 4 * Outbox.cost(of: batch(0))))
        for seq in 0..<2 { outbox.append(batch(UInt64(seq)), at: at(0)) }
        #expect(outbox.handOut() == [0, 1])
        for seq in 2..<9 { outbox.append(batch(UInt64(seq)), at: at(0)) }
        #expect(outbox.depth == 4)
        #expect(outbox.bytes == 4 * Outbox.cost(of: batch(0)))
        #expect(outbox.counters.dropped == 5)
        let next = outbox.next(at: at(0)) { stamp }
        #expect(next?.batch.seq == 7)
        #expect(next?.lost == Loss(batches: 5, fromSeq: 2, toSeq: 6, reason: .outboxFull))
        #expect(outbox.next(at: at(0)) { stamp }?.lost == nil)
    }

    @Test("keeps a loss for the next batch to come when nothing is left behind the hole")
    func pendingLoss() {
        var outbox = Outbox(OutboxLimits(maxBytes: Outbox.cost(of: batch(0, sightings: 3))))
        outbox.append(batch(0, sightings: 4), at: at(0))
        #expect(outbox.depth == 0)
        #expect(outbox.undeclared == Loss(batches: 1, fromSeq: 0, toSeq: 0, reason: .outboxFull))
        outbox.append(batch(1), at: at(0))
        #expect(outbox.next(at: at(0)) { stamp }?.lost?.toSeq == 0)
        #expect(outbox.undeclared == nil)
    }

    @Test("notices numbers that never came, from the first on")
    func gaps() {
        var outbox = Outbox()
        outbox.append(batch(2), at: at(0))
        outbox.append(batch(3), at: at(0))
        outbox.append(batch(7), at: at(0))
        let losses = (0..<3).map { _ in outbox.next(at: at(0)) { stamp }?.lost }
        #expect(
            losses == [
                Loss(batches: 2, fromSeq: 0, toSeq: 1, reason: .mailboxFull), nil,
                Loss(batches: 3, fromSeq: 4, toSeq: 6, reason: .mailboxFull),
            ])
        #expect(outbox.counters.missed == 5)
    }

    @Test("ignores a number that has been here, and survives the last of all numbers")
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

    @Test("declares a refused batch lost, with what it was to declare itself")
    func setAside() {
        var outbox = Outbox()
        outbox.append(batch(3), at: at(0))
        outbox.append(batch(4), at: at(0))
        #expect(outbox.handOut() == [3, 4])
        #expect(outbox.setAside(Entry.ID(rawValue: 3))?.seq == 3)
        #expect(outbox.setAside(Entry.ID(rawValue: 3)) == nil)
        outbox.append(batch(5), at: at(0))
        let next = outbox.next(at: at(0)) { stamp }
        #expect(next?.lost == Loss(batches: 4, fromSeq: 0, toSeq: 3, reason: .refused))
        #expect(outbox.counters.refused == 1)
    }

    @Test("waits with a batch that is to be retried, and with all younger ones")
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

    @Test("gives up what is too old, but for what is in flight")
    func age() {
        var outbox = Outbox(OutboxLimits(maxAgeHours: 1))
        for seq in 0..<4 { outbox.append(batch(UInt64(seq)), at: at(Int64(seq))) }
        outbox.window = 1
        #expect(outbox.handOut(at: at(10)) == [0])
        #expect(outbox.oldestAge(at: at(60)) == 60_000_000)
        outbox.expire(at: at(3602))
        #expect(outbox.depth == 3)
        #expect(outbox.undeclared == Loss(batches: 1, fromSeq: 1, toSeq: 1, reason: .tooOld))
        outbox.connectionLost()
        outbox.expire(at: at(3602))
        #expect(outbox.undeclared == Loss(batches: 2, fromSeq: 0, toSeq: 1, reason: .tooOld))
        #expect(outbox.handOut(at: at(3602)) == [2])
    }

    @Test("an answer for a batch that is not in flight changes nothing")
    func strayAnswers() {
        var outbox = Outbox()
        outbox.append(batch(0), at: at(0))
        let acknowledged = outbox.acknowledge(Entry.ID(rawValue: 0))
        #expect(!acknowledged)
        outbox.retry(Entry.ID(rawValue: 9), notBefore: at(9))
        #expect(outbox.handOut() == [0])
        #expect(outbox.counters.acknowledged == 0)
    }

    @Test("reckons at least what its sightings take")
    func cost() {
        let one = Outbox.cost(of: batch(0, sightings: 1))
        let many = Outbox.cost(of: batch(0, sightings: 101))
        #expect(many - one == 100 * MemoryLayout<Sighting>.stride)
        #expect(one > MemoryLayout<Batch>.stride + MemoryLayout<Sighting>.stride)
    }
}
