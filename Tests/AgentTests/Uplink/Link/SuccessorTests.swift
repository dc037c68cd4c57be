import Outbox
import Primitives
import Sightings
import TestSupport
import TestVectors
import Testing

@testable import Agent

/// An uplink that is killed at any moment, and its successors, with the radio's side of the link and a broker that records
/// every message. The model knows only the numbers that were posted or refused, and the messages.
private struct KilledUplink {
    private var random: SeededGenerator
    private let limits: OutboxLimits
    private let file: DatabaseFile?
    private let origin = Origin(session: "s", boot: "b", place: "p")
    private var retained = RetainedBatches(maxCount: 40)
    private var account: UplinkAccount?
    private var outbox: Outbox
    private var accounts = AccountSchedule()
    private var received: UInt64 = 0
    private var inFlight: [Entry.ID] = []
    private var now: Int64 = 0
    private var seq: UInt64 = 0
    private var isClockSet = false
    private(set) var refused: Set<UInt64> = []
    private(set) var kills = 0
    /// The messages by their number; each repetition is compared.
    private(set) var messages: [UInt64: StoredBatch] = [:]
    private(set) var faults: [String] = []

    init(seed: UInt64, path: String?) {
        random = SeededGenerator(seed: seed)
        let limits = OutboxLimits(
            spillAfter: .seconds(seed % 3 == 0 ? 0 : 2), backlogPerSecond: 5,
            holdUnsynced: .seconds(seed % 4 == 0 ? 5 : 0))
        self.limits = limits
        file = path.map { DatabaseFile(path: $0, maxBytes: limits.maxBytes) }
        outbox = Outbox(limits, origin: origin, disk: file, seed: seed)
        outbox.open(at: Instant(microseconds: 0))
    }

    private var instant: Instant { Instant(microseconds: now * 1_000_000) }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: post()
        case 25..<45: deliver()
        case 45..<65: handOut()
        case 65..<85: acknowledge()
        case 85..<92:
            now += Int64.random(in: 0...3, using: &random)
            outbox.tick(at: instant, clock: clock)
            // The process may end between a commit and its account.
            if random.oneIn(10) { replace() } else { report() }
        case 92..<95:
            outbox.connectionLost()
            inFlight = []
        case 95..<97: isClockSet = isClockSet || random.oneIn(5)
        default: replace()
        }
    }

    private var clock: Stamp {
        Stamp(offset: .microseconds(now), clock: isClockSet ? .synced : .unsynced)
    }

    private mutating func post() {
        now += 1
        let batch = LinkMessages.batch(seq, &random)
        let stored = StoredBatch(origin: origin, batch: batch, stamp: clock)
        if random.oneIn(15) || !retained.append(seq, stored.encoded) { refused.insert(seq) }
        seq += 1
    }

    private mutating func deliver() {
        while let next = retained.takeNext() {
            received += 1
            guard let stored = try? StoredBatch(decoding: next.stored) else { continue }
            if next.isDecided {
                outbox.append(decided: stored, at: instant)
            } else {
                outbox.append(stored.batch, stamp: stored.stamp, at: instant)
            }
        }
        report()
    }

    private mutating func handOut() {
        guard let entry = outbox.next(at: instant, clock: clock) else { return report() }
        for stored in outbox.takeDecisions() {
            retained.decide(stored.batch.seq, stored.encoded)
            if stored.lost != nil { report() }
        }
        let number = entry.batch.seq
        if let before = messages[number], before != entry.stored {
            faults.append("two messages \(number): \(before.stamp) \(entry.stored.stamp)")
        }
        messages[number] = entry.stored
        inFlight.append(entry.id)
        report()
    }

    private mutating func acknowledge() {
        guard let index = inFlight.indices.randomElement(using: &random) else { return }
        outbox.acknowledge(inFlight.remove(at: index))
        report()
    }

    private mutating func report(isAsked: Bool = false) {
        guard accounts.isDue(outbox) || isAsked || random.oneIn(5) else { return }
        var account = UplinkAccount()
        account.received = received
        account.outbox = outbox.account
        retained.release(received: received) { account.outbox.holds($0) }
        self.account = account
    }

    private mutating func replace() {
        kills += 1
        retained.restart()
        accounts = AccountSchedule()
        (received, inFlight) = (0, [])
        outbox = Outbox(limits, origin: origin, disk: file, seed: 1)
        outbox.open(at: instant)
        outbox.restore(account?.outbox ?? OutboxAccount())
        deliver()
        outbox.storeAll(at: instant)
        report(isAsked: true)
    }

    /// A quiet end: the broker acknowledges everything. The last batch is not refused, so that it can declare a loss.
    mutating func settle() {
        isClockSet = true
        drain()
        repeat { post() } while refused.contains(seq - 1)
        drain()
        if outbox.depth > 0 { faults.append("\(outbox.depth) batches are left") }
    }

    private mutating func drain() {
        for _ in 0..<2000 {
            now += 1
            deliver()
            outbox.tick(at: instant, clock: clock)
            report()
            for _ in 0..<10 {
                handOut()
                acknowledge()
            }
            if outbox.depth == 0 { break }
        }
    }

    /// The numbers that no message has, and those that the messages declare lost.
    var missing: Set<UInt64> {
        Set(0..<seq).subtracting(messages.values.flatMap { Array($0.batch.numbers) })
    }

    var declared: [Loss] { messages.values.compactMap(\.lost) }
}

@Suite("successor of an uplink")
struct SuccessorTests {
    @Test(
        "each number arrives, with the same message each time, or is declared lost",
        arguments: UInt64(0)..<24)
    func numbers(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var uplink = KilledUplink(seed: seed, path: folder.file("outbox.sqlite"))
        for _ in 0..<300 { uplink.step() }
        uplink.settle()
        #expect(uplink.faults == [])
        #expect(uplink.kills > 0)
        #expect(uplink.missing.isSubset(of: uplink.refused))
        // A refused number is the only loss.
        #expect(uplink.missing.count == uplink.declared.reduce(0) { $0 + Int($1.batches) })
        for number in uplink.missing {
            #expect(uplink.declared.contains { $0.fromSeq <= number && number <= $0.toSeq })
        }
    }

    @Test(
        "without a disk, what the ended process stored in memory is declared lost",
        arguments: UInt64(0)..<24)
    func memory(seed: UInt64) {
        var uplink = KilledUplink(seed: seed, path: nil)
        for _ in 0..<300 { uplink.step() }
        uplink.settle()
        #expect(uplink.faults == [])
        for number in uplink.missing {
            #expect(uplink.declared.contains { $0.fromSeq <= number && number <= $0.toSeq })
        }
    }
}
