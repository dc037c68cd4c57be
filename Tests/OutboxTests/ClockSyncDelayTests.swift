import Beacons
import Sightings
import Testing

@testable import Outbox

@Suite("waiting for the clock")
struct HoldTests {
    private static let unset = Stamp(offset: .zero, clock: .unsynced)
    private static let set = Stamp(offset: .microseconds(7_000_000), clock: .synced)

    private func outbox(
        _ disk: FakeDisk = FakeDisk(), session: String = "new", boot: String = "b",
        spillAfterMs: Int = 2000, holdMs: Int = 30_000
    ) -> Outbox {
        var outbox = Outbox(
            OutboxLimits(
                spillAfter: .milliseconds(spillAfterMs), backlogPerSecond: 1000,
                holdUnsynced: .milliseconds(holdMs)),
            origin: Origin(session: session, boot: boot), disk: disk)
        outbox.open(at: at(0))
        return outbox
    }

    /// Adds a batch each second, and sends and acknowledges all that can be sent.
    private func live(
        _ outbox: inout Outbox, _ seconds: Range<Int64>, clock: Stamp? = unset
    ) -> [(second: Int64, entry: Entry)] {
        var sent: [(second: Int64, entry: Entry)] = []
        for second in seconds {
            let stamp = clock?.clock == .synced ? Self.set : Self.unset
            outbox.append(batch(UInt64(second)), stamp: stamp, at: at(second))
            while let entry = outbox.next(at: at(second), clock: clock) {
                sent.append((second, entry))
                outbox.acknowledge(entry.id)
            }
            outbox.tick(at: at(second), clock: clock)
        }
        return sent
    }

    @Test(
        "no batch is sent before the clock is set; then all are stamped again and sent",
        arguments: [0, 2000, 60_000])
    func untilSet(spillAfterMs: Int) {
        var outbox = outbox(spillAfterMs: spillAfterMs)
        #expect(live(&outbox, 0..<12).isEmpty)
        #expect(outbox.depth == 12)
        #expect((outbox.stored > 0) == (spillAfterMs < 12_000))
        #expect(outbox.deadline(isConnected: true).map { $0 > at(11) } ?? false)
        var sent = live(&outbox, 12..<14, clock: Self.set).map(\.entry)
        #expect(sent.contains { $0.batch.seq == 12 })
        sent += outbox.drain(from: 14, clock: Self.set)
        #expect(sent.map(\.batch.seq).sorted() == Array(0..<14))
        #expect(sent.allSatisfy { $0.stamp == Self.set })
    }

    @Test("a changed limit counts from the begin of the wait", arguments: [0, 5000, 20_000])
    func otherPatience(holdMs: Int) {
        var outbox = outbox(holdMs: 10_000)
        #expect(live(&outbox, 0..<3).isEmpty)
        outbox.limits.clockSyncDelay = .milliseconds(holdMs)
        let sent = live(&outbox, 3..<30)
        #expect(sent.first?.second == max(3, Int64(holdMs) / 1000))
    }

    @Test(
        "with a clock that is never set, the wait ends once, and later batches are sent immediately"
    )
    func noClock() {
        var outbox = outbox()
        #expect(live(&outbox, 0..<30).isEmpty)
        #expect(outbox.deadline(isConnected: true) == at(30))
        let sent = live(&outbox, 30..<90)
        let new = sent.filter { $0.entry.batch.seq >= 30 }
        #expect(new.allSatisfy { $0.second == Int64($0.entry.batch.seq) })
        let all = sent.map(\.entry) + outbox.drain(from: 90, clock: Self.unset)
        #expect(Set(all.map(\.batch.seq)).count == 90)
        #expect(all.allSatisfy { $0.stamp == Self.unset })
    }

    @Test("the limit counts from the first connection, and not again from later ones")
    func firstConnection() {
        var outbox = outbox()
        for second in 0..<100 as Range<Int64> {
            outbox.append(batch(UInt64(second)), stamp: Self.unset, at: at(second))
            outbox.tick(at: at(second), clock: Self.unset)
        }
        #expect(live(&outbox, 100..<120).isEmpty)
        outbox.connectionLost()
        #expect(live(&outbox, 120..<130).isEmpty)
        #expect(live(&outbox, 130..<131).contains { $0.entry.batch.seq == 130 })
    }

    @Test("a clock that is lost later delays no batch, and a source with its own time never waits")
    func later() {
        var outbox = outbox()
        #expect(live(&outbox, 0..<5, clock: Self.set).count == 5)
        #expect(live(&outbox, 5..<10).count == 5)
        var capture = self.outbox()
        #expect(live(&capture, 0..<5, clock: nil).count == 5)
        var never = self.outbox(holdMs: 0)
        #expect(live(&never, 0..<5).count == 5)
    }

    @Test("a cancelled wait sends all batches with their stamps")
    func end() {
        var outbox = outbox()
        #expect(live(&outbox, 0..<5).isEmpty)
        outbox.cancelClockDelay()
        #expect(outbox.drain(from: 5, clock: Self.unset).count == 5)
    }

    @Test(
        "from earlier sessions, only unsent batches of this boot wait",
        arguments: [("b", [0]), ("earlier", [0, 1, 2, 3])] as [(String, [UInt64])])
    func backlog(boot: String, expected: [UInt64]) {
        let disk = FakeDisk()
        var old = outbox(disk, session: "old", boot: boot, holdMs: 0)
        old.append(batch(0), stamp: Self.unset, at: at(0))
        #expect(old.next(at: at(0), clock: Self.unset) != nil)
        for seq in 1..<4 as Range<UInt64> { old.append(batch(seq), stamp: Self.unset, at: at(0)) }
        #expect(old.save(at: at(1)) == 4)
        var outbox = outbox(disk)
        var sent: [UInt64] = []
        for second in 1..<20 as Range<Int64> {
            while let entry = outbox.next(at: at(second), clock: Self.unset) {
                sent.append(entry.batch.seq)
                outbox.acknowledge(entry.id)
            }
            outbox.tick(at: at(second), clock: Self.unset)
        }
        #expect(sent == expected)
        // Batches that wait for the clock set no deadline.
        #expect(outbox.deadline(isConnected: true).map { $0 >= at(20) } ?? true)
        let rest = outbox.drain(from: 20, clock: Self.set)
        #expect(rest.map(\.batch.seq) == Array(UInt64(expected.count)..<4))
        #expect(rest.allSatisfy { $0.stamp == Self.set })
    }
}
