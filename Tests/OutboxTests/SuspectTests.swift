import Beacons
import Sightings
import Testing

@testable import Outbox

/// A batch that ends the connection must not block the others.
@Suite("suspects")
struct SuspectTests {
    /// An outbox after `connections` attempts of its first batch.
    private func suffering(_ connections: Int) -> Outbox {
        var outbox = Outbox(OutboxLimits(spillAfter: .seconds(3600)))
        for seq in 0..<3 { outbox.append(batch(UInt64(seq)), at: at(0)) }
        for _ in 0..<connections {
            _ = outbox.next(at: at(1))
            outbox.connectionLost()
        }
        return outbox
    }

    @Test("after ten attempts a batch is sent last and alone, and then pauses")
    func last() {
        var outbox = suffering(10)
        #expect(outbox.handOut(at: at(2)) == [1, 2])
        outbox.acknowledge(Entry.ID(rawValue: 1))
        // It sets no deadline while other batches are in flight.
        #expect(outbox.deadline(isConnected: true).map { $0 > at(2) } ?? true)
        #expect(outbox.handOut(at: at(2)).isEmpty)
        outbox.acknowledge(Entry.ID(rawValue: 2))
        #expect(outbox.handOut(at: at(2)) == [0])
        outbox.append(batch(3), at: at(3))
        outbox.connectionLost()
        #expect(outbox.handOut(at: at(3)) == [3])
        outbox.acknowledge(Entry.ID(rawValue: 3))
        #expect(outbox.handOut(at: at(601)).isEmpty)
        #expect(outbox.handOut(at: at(602)) == [0])
        outbox.acknowledge(Entry.ID(rawValue: 0))
        #expect(outbox.depth == 0)
    }

    @Test("a batch that the broker ends connections over is sent last and alone")
    func named() {
        var outbox = suffering(1)
        #expect(outbox.handOut(at: at(2)) == [0, 1, 2])
        outbox.suspect(Entry.ID(rawValue: 0))
        outbox.connectionLost()
        #expect(outbox.handOut(at: at(3)) == [1, 2])
        outbox.acknowledge(Entry.ID(rawValue: 1))
        outbox.acknowledge(Entry.ID(rawValue: 2))
        #expect(outbox.handOut(at: at(3)) == [0])
    }

    @Test("before the tenth attempt it is repeated first")
    func first() {
        var outbox = suffering(9)
        #expect(outbox.handOut(at: at(2)) == [0, 1, 2])
    }

    @Test("after a temporary refusal, a suspect is retried at its time")
    func answered() {
        var outbox = suffering(10)
        #expect(outbox.handOut(at: at(2)) == [1, 2])
        outbox.acknowledge(Entry.ID(rawValue: 1))
        outbox.acknowledge(Entry.ID(rawValue: 2))
        #expect(outbox.handOut(at: at(2)) == [0])
        outbox.retry(Entry.ID(rawValue: 0), notBefore: at(5))
        outbox.append(batch(3), at: at(3))
        #expect(outbox.handOut(at: at(3)) == [3])
        outbox.acknowledge(Entry.ID(rawValue: 3))
        #expect(outbox.handOut(at: at(4)).isEmpty)
        #expect(outbox.deadline(isConnected: true) == at(5))
        #expect(outbox.handOut(at: at(5)) == [0])
    }

    @Test("a suspect is sent although other batches are always in flight")
    func starving() {
        var outbox = suffering(10)
        var sent: [UInt64] = []
        // Each second brings a new batch, and the answer to the batch of the second before.
        for second in 2..<200 as Range<Int64> {
            outbox.append(batch(UInt64(second + 1)), at: at(second))
            let before = sent
            sent += outbox.handOut(at: at(second))
            for seq in before.suffix(3) { outbox.acknowledge(seq) }
        }
        #expect(sent.count { $0 == 0 } == 1)
        #expect(sent.count >= 190)
    }

    @Test("while a refused batch waits, its time is the only deadline")
    func deadlines() {
        var outbox = suffering(10)
        #expect(outbox.handOut(at: at(2)) == [1, 2])
        outbox.acknowledge(Entry.ID(rawValue: 2))
        outbox.retry(Entry.ID(rawValue: 1), notBefore: at(9))
        #expect(outbox.handOut(at: at(3)).isEmpty)
        #expect(outbox.deadline(isConnected: true) == at(9))
    }

    @Test("while a refused batch waits, the backlog sets no deadline")
    func deadlineOfBacklog() {
        let disk = FakeDisk()
        var old = Outbox(origin: Origin(session: "old", boot: "b"), disk: disk)
        old.append(batch(0), at: at(0))
        #expect(old.save(at: at(0)) == 1)
        var outbox = Outbox(
            OutboxLimits(spillAfter: .seconds(3600)),
            origin: Origin(session: "new", boot: "b"),
            disk: disk)
        outbox.open(at: at(0))
        outbox.append(batch(0), at: at(1))
        #expect(outbox.next(at: at(1))?.session == "new")
        // The backlog may begin within two seconds.
        #expect(outbox.next(at: at(1)) == nil)
        outbox.retry(Entry.ID(rawValue: 0), notBefore: at(9))
        #expect(outbox.next(at: at(5)) == nil)
        #expect(outbox.deadline(isConnected: true) == at(9))
    }

    @Test("a broker that ends each connection gets few batches, and all of them after its repair")
    func fewAttempted() {
        let disk = FakeDisk()
        var outbox = Outbox(
            OutboxLimits(backlogPerSecond: 1000), origin: Origin(session: "", boot: "b"),
            disk: disk)
        for second in 0..<2000 as Range<Int64> {
            outbox.append(batch(UInt64(second)), at: at(second))
            _ = outbox.handOut(at: at(second))
            outbox.connectionLost()
            outbox.tick(at: at(second))
            #expect(outbox.unacknowledged.batches.count <= 40)
        }
        let seqs = outbox.drain(from: 2000).map(\.batch.seq)
        #expect(seqs.sorted() == Array(0..<2000))
        #expect(outbox.counters.refused == 0)
    }

    @Test("batches that end connections are lost when they are too many and others arrive")
    func manySuspects() {
        var outbox = Outbox(OutboxLimits(spillAfter: .seconds(3600)))
        var lost: UInt64 = 0
        // Every tenth batch ends the connection.
        for second in 0..<5000 as Range<Int64> {
            if second % 10 == 0 { outbox.append(batch(UInt64(second / 10)), at: at(second)) }
            while let entry = outbox.next(at: at(second)) {
                guard entry.batch.seq % 10 != 0 else {
                    outbox.connectionLost()
                    break
                }
                lost += entry.lost?.batches ?? 0
                outbox.acknowledge(entry.id)
            }
            #expect(outbox.unacknowledged.batches.count <= 40)
        }
        #expect(lost > 0)
        #expect(outbox.counters.refused == lost + (outbox.undeclared?.batches ?? 0))
        #expect(outbox.counters.acknowledged == 450)
    }

    @Test("a stored loss is left for the next session to declare")
    func leftToDeclare() {
        let disk = FakeDisk()
        var outbox = Outbox(origin: Origin(session: "old", boot: "b"), disk: disk)
        for seq in 0..<3 as Range<UInt64> { outbox.append(batch(seq), at: at(0)) }
        #expect(outbox.handOut() == [0, 1, 2])
        outbox.setAside(Entry.ID(rawValue: 0))
        outbox.connectionLost()
        #expect(outbox.save(at: at(1)) == 2)
        outbox.reportUndeclaredLoss()
        #expect(!outbox.takeEvents().contains { $0.isUndeclarable })
        #expect(disk.store?.count == 2)
    }

    @Test("a loss that is not stored is reported at the end")
    func undeclared() {
        var outbox = Outbox(OutboxLimits(spillAfter: .seconds(3600)))
        outbox.append(batch(0), at: at(0))
        #expect(outbox.handOut() == [0])
        outbox.setAside(Entry.ID(rawValue: 0))
        #expect(outbox.save(at: at(1)) == 0)
        outbox.reportUndeclaredLoss()
        let loss = Loss(batches: 1, fromSeq: 0, toSeq: 0, reason: .refused)
        #expect(outbox.takeEvents() == [.undeclaredLoss(session: "", loss)])
        outbox.reportUndeclaredLoss()
        #expect(outbox.takeEvents().isEmpty)
    }

    @Test("a loss that the disk could not add to an earlier one is reported at the end")
    func partlyStored() {
        let disk = FakeDisk()
        var outbox = Outbox(origin: Origin(session: "s", boot: "b"), disk: disk)
        for seq in 0..<3 as Range<UInt64> { outbox.append(batch(seq), at: at(0)) }
        #expect(outbox.handOut() == [0, 1, 2])
        outbox.setAside(Entry.ID(rawValue: 0))
        outbox.tick(at: at(5))
        #expect(disk.store?.losses()["s"]?.batches == 1)
        disk.failure = FakeDisk.full
        outbox.append(batch(3), at: at(6))
        #expect(outbox.handOut(at: at(6)) == [3])
        // The file still has the row of this one: the next session sends it.
        outbox.setAside(Entry.ID(rawValue: 1))
        outbox.setAside(Entry.ID(rawValue: 3))
        _ = outbox.save(at: at(6))
        outbox.reportUndeclaredLoss()
        let loss = Loss(batches: 1, fromSeq: 0, toSeq: 3, reason: .refused)
        #expect(outbox.takeEvents().contains(.undeclaredLoss(session: "s", loss)))
        #expect(disk.store?.count == 2)
    }

    @Test("with spillAfterMs 0, the last loss of an earlier session is reported too")
    func undeclarable() {
        let disk = FakeDisk()
        let limits = OutboxLimits(spillAfter: .zero, backlogPerSecond: 1000)
        var old = Outbox(limits, origin: Origin(session: "old", boot: "b"), disk: disk)
        old.append(batch(0), at: at(0))
        #expect(old.handOut() == [0])
        old.setAside(Entry.ID(rawValue: 0))
        _ = old.save(at: at(1))
        var new = Outbox(limits, origin: Origin(session: "new", boot: "b"), disk: disk)
        new.open(at: at(2))
        new.append(batch(0), at: at(2))
        #expect(new.handOut(at: at(2)) == [0])
        new.acknowledge(Entry.ID(rawValue: 0))
        new.tick(at: at(20))
        let loss = Loss(batches: 1, fromSeq: 0, toSeq: 0, reason: .refused)
        #expect(new.takeEvents().contains(.undeclaredLoss(session: "old", loss)))
        #expect(new.persistence.ledger.losses.isEmpty)
    }
}

extension OutboxEvent {
    fileprivate var isUndeclarable: Bool {
        if case .undeclaredLoss = self { true } else { false }
    }
}
