import Beacons
import Sightings
import Testing

@testable import Outbox

/// A batch that ends the connection must not block the others.
@Suite("suspects")
struct SuspectTests {
    /// An outbox after `connections` attempts of its first batch.
    private func suffering(_ connections: Int) -> Outbox {
        var outbox = Outbox(OutboxLimits(spillAfterMs: 3_600_000))
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
        var outbox = Outbox(OutboxLimits(spillAfterMs: 3_600_000))
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

    @Test("with spillAfterMs 0, the last loss of an earlier session is reported too")
    func undeclarable() {
        let disk = FakeDisk()
        let limits = OutboxLimits(spillAfterMs: 0, backlogPerSecond: 1000)
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
