import Beacons
import Foundation
import Sightings
import TestSupport
import Testing

@testable import Outbox

@Suite("a corrupt file")
struct CorruptFileTests {
    @Test("readable rows of a corrupt file are sent unchanged, and the rest is lost")
    func salvaged() {
        let disk = FakeDisk()
        var old = outboxOnDisk(disk, session: "old")
        old.append(
            batch(0, sightings: 2), stamp: Stamp(offset: .microseconds(3), clock: .unsynced),
            at: at(0))
        let sent = old.next(at: at(0))
        old.append(batch(1), at: at(0))
        old.append(batch(2), at: at(0))
        _ = old.save(at: at(1))
        var outbox = outboxOnDisk(disk)
        outbox.open(at: at(1))
        outbox.takeBatches(in: 0..<8)
        let stored = outbox.stored
        // Batch 2 of the old session and batch 1 of the new one are unreadable.
        disk.survives = { $0 != 3 && $0 != 5 }
        disk.failure = FakeDisk.broken
        outbox.append(batch(8), at: at(10))
        outbox.tick(at: at(20))
        #expect(
            outbox.takeEvents() == [
                .foundBacklog(batches: 3),
                .storeCorrupt(
                    path: "aside", reason: "nonsense",
                    RecoveryResult(batches: stored, recovered: stored - 2, declaredLost: 1)),
            ])
        #expect(outbox.counters.damaged == 2)
        let again = outbox.drain(from: 21, clock: Stamp(offset: .microseconds(9), clock: .synced))
        #expect(again.filter { $0.session == "old" }.map(\.batch.seq) == [0, 1])
        #expect(again.first { $0.session == "old" }?.stored == sent?.stored)
        let new = again.filter { $0.session == "new" }
        #expect(Set(new.map(\.batch.seq)) == [0, 2, 3, 4, 5, 6, 7, 8])
        let losses = new.compactMap(\.lost) + [outbox.undeclared].compactMap(\.self)
        #expect(losses == [Loss(batches: 1, fromSeq: 1, toSeq: 1, reason: .damaged)])
    }

    @Test("batches dropped before the damage are counted once")
    func lostOnce() {
        let disk = FakeDisk()
        var outbox = outboxOnDisk(disk, OutboxLimits(maxBytes: 1500, backlogPerSecond: 1000))
        // Gaps prevent merging.
        for second in 0..<20 {
            outbox.append(batch(UInt64(second) * 2), at: at(Int64(second)))
            outbox.tick(at: at(Int64(second)))
        }
        #expect(outbox.counters.dropped > 0)
        disk.failure = FakeDisk.broken
        outbox.append(batch(40), at: at(25))
        outbox.tick(at: at(30))
        #expect(disk.setAsides == 1)
        let sent = outbox.drain(from: 31)
        var lost = sent.compactMap(\.lost).reduce(0) { $0 + $1.batches }
        lost += outbox.undeclared?.batches ?? 0
        #expect(lost + UInt64(sent.count) == 41)
    }

    @Test("a clean stop with a corrupt file stores all batches from memory in a new one")
    func damagedAtTheEnd() {
        let disk = FakeDisk()
        var outbox = outboxOnDisk(disk)
        outbox.takeBatches(in: 0..<8)
        let stored = outbox.stored
        disk.failure = FakeDisk.broken
        #expect(outbox.save(at: at(8)) == 8 - stored)
        #expect(outbox.unsaved == 0)
    }

    @Test("with spillAfterMs 0, a batch is written ahead even if the file is corrupt")
    func writtenAheadAnew() {
        let disk = FakeDisk()
        var outbox = outboxOnDisk(disk, OutboxLimits(spillAfter: .zero))
        outbox.append(batch(0), at: at(0))
        #expect(outbox.next(at: at(0)) != nil)
        disk.failure = FakeDisk.broken
        outbox.append(batch(1), at: at(1))
        #expect(outbox.next(at: at(1))?.batch.seq == 1)
        #expect(disk.setAsides == 1)
        #expect(disk.store?.headers(after: 0, limit: 9).map(\.numbers) == [1...1])
    }

    @Test(
        "unreadable batches of this session are declared lost, and a new file gets the next ones")
    func damaged() {
        let disk = FakeDisk()
        var outbox = outboxOnDisk(disk)
        outbox.takeBatches(in: 0..<8)
        let stored = outbox.stored
        disk.failure = FakeDisk.broken
        outbox.takeBatches(in: 8..<14)
        #expect(disk.setAsides == 1)
        #expect(
            outbox.takeEvents() == [
                .storeCorrupt(
                    path: "aside", reason: "nonsense",
                    RecoveryResult(
                        batches: stored, declaredLost: UInt64(stored), knowsLosses: true))
            ])
        #expect(outbox.counters.damaged == UInt64(stored))
        let sent = outbox.drain(from: 14)
        #expect(sent.map(\.batch.seq).sorted() == Array(UInt64(stored)..<14))
        let lost = sent.compactMap(\.lost)
        #expect(
            lost == [
                Loss(
                    batches: UInt64(stored), fromSeq: 0, toSeq: UInt64(stored) - 1,
                    reason: .damaged)
            ])
    }
}
