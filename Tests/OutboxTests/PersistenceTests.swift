import Beacons
import Foundation
import Sightings
import TestSupport
import Testing

@testable import Outbox

@Suite("persistence")
struct StoringTests {
    private func outbox(
        _ disk: any Disk, session: String = "new", boot: String = "b",
        _ limits: OutboxLimits = OutboxLimits(backlogPerSecond: 1000)
    ) -> Outbox {
        Outbox(limits, origin: Origin(session: session, boot: boot), disk: disk)
    }

    @Test("while the broker answers, the disk is not used")
    func untouched() {
        let disk = FakeDisk()
        var outbox = outbox(disk)
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
        var outbox = outbox(disk)
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
        var outbox = outbox(disk)
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
        var outbox = outbox(disk)
        for second in 0..<20 {
            outbox.append(batch(UInt64(second)), at: at(Int64(second)))
            outbox.tick(at: at(Int64(second)))
        }
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
        var outbox = outbox(disk, OutboxLimits(backlogPerSecond: 10))
        for second in 0..<60 {
            outbox.append(batch(UInt64(second)), at: at(Int64(second)))
            outbox.tick(at: at(Int64(second)))
        }
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
        var first = outbox(disk, session: "old", OutboxLimits(spillAfterMs: 0))
        first.append(batch(0), at: at(0))
        let entry = first.next(at: at(0))
        #expect(disk.commits == 1)
        // The agent is killed here.
        var second = outbox(disk)
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
            var outbox = outbox(disk, session: session)
            outbox.open(at: at(0))
            outbox.append(batch(2, sightings: 1), at: at(0))
            if let entry = outbox.next(at: at(0)) { sent.append(entry) }
            outbox.append(batch(3), at: at(0))
            #expect(outbox.save(at: at(1)) == (session == "a" ? 2 : 4))
        }
        var outbox = outbox(disk)
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
        var first = outbox(disk, session: "old")
        let unset = Stamp(offset: 0, clock: .unsynced)
        for seq in 0..<2 { first.append(batch(UInt64(seq)), stamp: unset, at: at(0)) }
        _ = first.next(at: at(0), clock: unset)
        _ = first.save(at: at(1))
        var second = outbox(disk, boot: boot)
        second.open(at: at(1))
        let sent = second.drain(from: 1, clock: Stamp(offset: 5, clock: .synced))
        #expect(sent.map(\.stamp.offset) == [0, offset])
        #expect(sent.map(\.stamp.clock) == [.unsynced, offset == 0 ? .unsynced : .synced])
    }

    @Test("a loss that a session did not declare is declared by its stored batches")
    func undeclared() {
        let disk = FakeDisk()
        var first = outbox(disk, session: "old")
        first.append(batch(0), at: at(0))
        #expect(first.handOut() == [0])
        first.append(batch(1), at: at(0))
        first.setAside(Entry.ID(rawValue: 0))
        _ = first.save(at: at(1))
        var second = outbox(disk)
        second.open(at: at(1))
        let sent = second.drain(from: 1)
        #expect(sent.map(\.lost) == [Loss(batches: 1, fromSeq: 0, toSeq: 0, reason: .refused)])
    }

    @Test("a failed disk is reported once, tried again, and gets the batches from memory")
    func trouble() {
        let disk = FakeDisk()
        disk.failure = FakeDisk.full
        var outbox = outbox(disk)
        for second in 0..<8 {
            outbox.append(batch(UInt64(second)), at: at(Int64(second)))
            outbox.tick(at: at(Int64(second)))
        }
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

    @Test("readable rows of a corrupt file are sent unchanged, and the rest is lost")
    func salvaged() {
        let disk = FakeDisk()
        var old = outbox(disk, session: "old")
        old.append(batch(0, sightings: 2), stamp: Stamp(offset: 3, clock: .unsynced), at: at(0))
        let sent = old.next(at: at(0))
        old.append(batch(1), at: at(0))
        old.append(batch(2), at: at(0))
        _ = old.save(at: at(1))
        var outbox = outbox(disk)
        outbox.open(at: at(1))
        for second in 0..<8 {
            outbox.append(batch(UInt64(second)), at: at(Int64(second)))
            outbox.tick(at: at(Int64(second)))
        }
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
        let again = outbox.drain(from: 21, clock: Stamp(offset: 9, clock: .synced))
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
        var outbox = outbox(disk, OutboxLimits(maxBytes: 1500, backlogPerSecond: 1000))
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
        var outbox = outbox(disk)
        for second in 0..<8 {
            outbox.append(batch(UInt64(second)), at: at(Int64(second)))
            outbox.tick(at: at(Int64(second)))
        }
        let stored = outbox.stored
        disk.failure = FakeDisk.broken
        #expect(outbox.save(at: at(8)) == 8 - stored)
        #expect(outbox.unsaved == 0)
    }

    @Test("with spillAfterMs 0, a batch is written ahead even if the file is corrupt")
    func writtenAheadAnew() {
        let disk = FakeDisk()
        var outbox = outbox(disk, OutboxLimits(spillAfterMs: 0))
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
        var outbox = outbox(disk)
        for second in 0..<8 {
            outbox.append(batch(UInt64(second)), at: at(Int64(second)))
            outbox.tick(at: at(Int64(second)))
        }
        let stored = outbox.stored
        disk.failure = FakeDisk.broken
        for second in 8..<14 {
            outbox.append(batch(UInt64(second)), at: at(Int64(second)))
            outbox.tick(at: at(Int64(second)))
        }
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
