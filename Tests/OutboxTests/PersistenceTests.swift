import Beacons
import Foundation
import Sightings
import TestSupport
import Testing

@testable import Outbox

@Suite("persistence")
struct StoringTests {
    @Test("while the broker answers, the disk is not used")
    func untouched() {
        let disk = FakeDisk()
        var outbox = outboxOnDisk(disk)
        outbox.open(at: at(0))
        for second in 0..<100 {
            outbox.append(batch(UInt64(second)), at: at(Int64(second)))
            for seq in outbox.handOut(at: at(Int64(second))) { outbox.acknowledge(seq) }
            outbox.tick(at: at(Int64(second)))
        }
        #expect(disk.opened == 0)
        #expect(outbox.isDurable)
        #expect(outbox.depth == 0)
    }

    @Test("a loss is committed after spillAfterMs, while the broker refuses each new batch")
    func refusals() {
        let disk = FakeDisk()
        var outbox = outboxOnDisk(disk)
        for second in 0..<10 as Range<Int64> {
            outbox.append(batch(UInt64(second)), at: at(second))
            for seq in outbox.handOut(at: at(second)) {
                outbox.setAside(Entry.ID(rawValue: seq))
            }
            for millisecond in stride(from: 0, to: 1000, by: 250) as StrideTo<Int64> {
                outbox.tick(at: at(second).advanced(byMilliseconds: millisecond))
                // As after `kill -9` now: the loss and the rows that would declare it.
                let contents = DiskContents(disk)
                let rows = contents.rows.compactMap { $0.header.lost?.batches }.reduce(0, +)
                let stored = rows + (contents.losses["new"]?.batches ?? 0)
                #expect(Int64(stored) >= second - 2, "at \(second) s")
            }
        }
    }

    @Test("a loss that a message declares is not committed")
    func declaredInTime() {
        let disk = FakeDisk()
        var outbox = outboxOnDisk(disk)
        for second in 0..<10 as Range<Int64> {
            outbox.append(batch(UInt64(second)), at: at(second))
            for seq in outbox.handOut(at: at(second)) {
                if seq % 2 == 0 {
                    outbox.setAside(Entry.ID(rawValue: seq))
                } else {
                    outbox.acknowledge(seq)
                }
            }
            outbox.tick(at: at(second))
        }
        #expect(disk.opened == 0)
    }

    @Test(
        "an old batch is committed with all newer ones, and the empty file is removed"
    )
    func groups() {
        let disk = FakeDisk()
        var outbox = outboxOnDisk(disk)
        outbox.takeBatches(in: 0..<20)
        #expect(disk.commits == 6)
        #expect(outbox.stored == 18)
        #expect(outbox.depth == 20)
        let sent = outbox.drain(from: 20)
        #expect(sent.map(\.batch.seq).sorted() == Array(0..<20))
        #expect(outbox.stored == 0)
        #expect(disk.store == nil)
    }

    @Test("new batches go first, the backlog follows at its rate")
    func liveFirst() throws {
        let disk = FakeDisk()
        var outbox = outboxOnDisk(disk, OutboxLimits(backlogPerSecond: 10))
        outbox.takeBatches(in: 0..<60)
        var sent: [(seq: UInt64, ms: Int64)] = []
        for ms in 0..<12_000 as Range<Int64> {
            let now = at(60).advanced(byMilliseconds: ms)
            if ms % 1000 == 0 { outbox.append(batch(60 + UInt64(ms / 1000)), at: now) }
            while let entry = outbox.next(at: now) {
                sent.append((entry.batch.seq, ms))
                outbox.acknowledge(entry.id)
            }
        }
        let live = sent.filter { $0.seq >= 60 }
        #expect(live.allSatisfy { Int64($0.seq - 60) * 1000 == $0.ms })
        let backlog = sent.filter { $0.seq < 58 }
        #expect(backlog.count == 58)
        let first = try #require(backlog.first)
        let last = try #require(backlog.last)
        // 57 gaps of 50 to 150 ms.
        #expect((4500...7000).contains(last.ms - first.ms), "\(last.ms - first.ms)")
        let gaps = Set(zip(backlog, backlog.dropFirst()).map { $1.ms - $0.ms })
        #expect(gaps.count > 10)
    }

    @Test("with spillAfterMs 0, a batch is on the disk before it is handed out")
    func writtenAhead() {
        let disk = FakeDisk()
        var first = outboxOnDisk(disk, session: "old", OutboxLimits(spillAfter: .zero))
        first.append(batch(0), at: at(0))
        let entry = first.next(at: at(0))
        #expect(disk.commits == 1)
        // The agent is killed here.
        var second = outboxOnDisk(disk)
        second.open(at: at(1))
        let again = second.drain(from: 1)
        #expect(again.map(\.stored) == [entry?.stored])
    }

    @Test(
        "batches of earlier sessions keep their session, and sent ones keep their bytes")
    func sessions() {
        let disk = FakeDisk()
        var sent: [Entry] = []
        for session in ["a", "b"] {
            var outbox = outboxOnDisk(disk, session: session)
            outbox.open(at: at(0))
            outbox.append(batch(2, sightings: 1), at: at(0))
            if let entry = outbox.next(at: at(0)) { sent.append(entry) }
            outbox.append(batch(3), at: at(0))
            #expect(outbox.save(at: at(1)) == (session == "a" ? 2 : 4))
        }
        var outbox = outboxOnDisk(disk)
        outbox.open(at: at(9))
        #expect(outbox.takeEvents() == [.foundBacklog(batches: 4)])
        let again = outbox.drain(from: 9)
        #expect(again.map(\.session) == ["a", "a", "b", "b"])
        #expect(again.map(\.batch.seq) == [2, 3, 2, 3])
        #expect(again[0].stored == sent[0].stored)
        #expect(again[2].stored == sent[1].stored)
        #expect(again[0].lost?.batches == 2)
    }

    @Test(
        "on the same boot, a clock that is set later stamps unsent batches again",
        arguments: [("b", Int64(5)), ("c", 0)])
    func restamping(boot: String, offset: Int64) {
        let disk = FakeDisk()
        var first = outboxOnDisk(disk, session: "old")
        let unset = Stamp(offset: .zero, clock: .unsynced)
        for seq in 0..<2 { first.append(batch(UInt64(seq)), stamp: unset, at: at(0)) }
        _ = first.next(at: at(0), clock: unset)
        _ = first.save(at: at(1))
        var second = outboxOnDisk(disk, boot: boot)
        second.open(at: at(1))
        let sent = second.drain(from: 1, clock: Stamp(offset: .microseconds(5), clock: .synced))
        #expect(sent.map(\.stamp.offset.microseconds) == [0, offset])
        #expect(sent.map(\.stamp.clock) == [.unsynced, offset == 0 ? .unsynced : .synced])
    }

    @Test("a loss that a session did not declare is declared by its stored batches")
    func undeclared() {
        let disk = FakeDisk()
        var first = outboxOnDisk(disk, session: "old")
        first.append(batch(0), at: at(0))
        #expect(first.handOut() == [0])
        first.append(batch(1), at: at(0))
        first.setAside(Entry.ID(rawValue: 0))
        _ = first.save(at: at(1))
        var second = outboxOnDisk(disk)
        second.open(at: at(1))
        let sent = second.drain(from: 1)
        #expect(sent.map(\.lost) == [Loss(batches: 1, fromSeq: 0, toSeq: 0, reason: .refused)])
    }

    @Test("a failed disk is reported once, tried again, and gets the batches from memory")
    func trouble() {
        let disk = FakeDisk()
        disk.failure = FakeDisk.full
        var outbox = outboxOnDisk(disk)
        outbox.takeBatches(in: 0..<8)
        #expect(!outbox.isDurable)
        #expect(outbox.takeEvents() == [.storeUnavailable(reason: "no space")])
        #expect(outbox.depth == 8)
        disk.failure = nil
        outbox.tick(at: at(60))
        #expect(outbox.isDurable)
        #expect(outbox.takeEvents() == [.storeAvailable])
        #expect(outbox.stored == 8)
        #expect(outbox.drain(from: 60).map(\.batch.seq) == Array(0..<8))
    }
}
