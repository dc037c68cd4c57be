import Beacons
import Sightings
import Testing

@testable import Outbox

@Suite("expiry")
struct ExpiryTests {
    private func outbox(
        _ disk: any Disk, session: String = "new", boot: String = "b",
        _ limits: OutboxLimits = OutboxLimits(maxAge: .seconds(3600))
    ) -> Outbox {
        Outbox(limits, origin: Origin(session: session, boot: boot), disk: disk)
    }

    /// Leaves three batches of an earlier boot.
    private func leave(_ disk: FakeDisk, handsOut: Bool, _ clock: ClockState) {
        var old = outbox(disk, session: "old", boot: "earlier")
        for seq in 0..<3 as Range<UInt64> {
            old.append(batch(seq), stamp: Stamp(offset: .zero, clock: clock), at: at(0))
        }
        if handsOut { #expect(old.handOut().count == 3) }
        #expect(old.save(at: at(0)) == 3)
    }

    @Test("a batch of unknown age before a batch that is too old expires too")
    func unknownAge() {
        let disk = FakeDisk()
        var old = outbox(disk, session: "old", boot: "earlier")
        for seq in 0..<6 as Range<UInt64> {
            let clock: ClockState = seq == 3 || seq == 5 ? .synced : .unsynced
            old.append(batch(seq), stamp: Stamp(offset: .zero, clock: clock), at: at(0))
        }
        #expect(old.save(at: at(0)) == 6)
        var outbox = outbox(disk)
        outbox.open(at: at(0))
        // Batch 3 ended at 4 s, batch 5 at 6 s.
        outbox.expire(at: at(0), clock: Stamp(offset: .microseconds(3_605_000_000), clock: .synced))
        #expect(outbox.counters.dropped == 4)
        #expect(outbox.stored == 2)
        #expect(
            outbox.persistence.ledger.losses == [
                "old": Loss(batches: 4, fromSeq: 0, toSeq: 3, reason: .tooOld)
            ])
    }

    @Test("a batch that was handed out expires too", arguments: [false, true])
    func handedOut(isLoaded: Bool) {
        let disk = FakeDisk()
        leave(disk, handsOut: true, .synced)
        var outbox = outbox(disk)
        outbox.open(at: at(0))
        let clock = Stamp(offset: .zero, clock: .synced)
        if isLoaded {
            // The first batch of a connection waits up to two seconds.
            _ = outbox.next(at: at(5), clock: clock)
            #expect(outbox.next(at: at(8), clock: clock) != nil)
            outbox.connectionLost()
        }
        outbox.expire(at: at(3600), clock: clock)
        #expect(outbox.depth == 3)
        outbox.expire(at: at(3604), clock: clock)
        #expect(outbox.depth == 0)
        #expect(
            outbox.persistence.ledger.losses == [
                "old": Loss(batches: 3, fromSeq: 0, toSeq: 2, reason: .tooOld)
            ])
    }

    @Test(
        "an unknown age counts from the discovery of the batch",
        arguments: [false, true])
    func undated(isHandedOut: Bool) {
        let disk = FakeDisk()
        leave(disk, handsOut: isHandedOut, .unsynced)
        var outbox = outbox(disk)
        outbox.open(at: at(50))
        outbox.expire(at: at(3650))
        #expect(outbox.depth == 3)
        outbox.expire(at: at(3651))
        #expect(outbox.depth == 0)
    }
}
