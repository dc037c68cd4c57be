import Beacon
import Sighting
import TestVectors
import Testing

@testable import Outbox

/// What a subscriber and a broker know, beside an outbox that is driven at random.
private struct World {
    var random: SeededGenerator
    var outbox: Outbox
    var now: Int64 = 0
    var nextSeq: UInt64 = 0
    /// First deliveries, to be compared with later ones.
    var handedOut: [UInt64: Entry] = [:]
    var inFlight: [UInt64] = []
    var acknowledged: Set<UInt64> = []
    /// Losses that arrived with an acknowledged message.
    var declared: [Loss] = []
    var lastNew: UInt64?

    mutating func step() {
        now += Int64.random(in: 0...200, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: append()
        case 40..<75: handOut()
        case 75..<88: answer { outbox, id in outbox.acknowledge(id) }
        case 88..<91: answer { outbox, id in outbox.setAside(id) }
        case 91..<95:
            let later = at(now + 100)
            answer { outbox, id in outbox.retry(id, notBefore: later) }
        case 95..<97:
            outbox.connectionLost()
            inFlight = []
        case 97: outbox.expire(at: at(now))
        default: outbox.window = Int.random(in: 1...20, using: &random)
        }
    }

    mutating func append() {
        if Int.random(in: 0..<10, using: &random) == 0 {
            nextSeq += UInt64.random(in: 1...4, using: &random)
        }
        let size = Int.random(in: 0...6, using: &random)
        outbox.append(batch(nextSeq, sightings: size), at: at(now))
        nextSeq += 1
    }

    mutating func handOut() {
        let offset = now
        let entry = outbox.next(at: at(now)) { Stamp(offset: offset, clock: .unsynced) }
        guard var entry else { return }
        inFlight.append(entry.batch.seq)
        if var before = handedOut[entry.batch.seq] {
            #expect(entry.attempts == before.attempts + 1)
            handedOut[entry.batch.seq]?.attempts = entry.attempts
            before.attempts = 1
            entry.attempts = 1
            #expect(entry == before, "a repetition must be the same message")
        } else {
            if let lastNew { #expect(entry.batch.seq > lastNew, "new ones come in order") }
            if let lost = entry.lost { #expect(lost.toSeq < entry.batch.seq) }
            lastNew = entry.batch.seq
            handedOut[entry.batch.seq] = entry
        }
    }

    mutating func answer(_ act: (inout Outbox, Entry.ID) -> Void) {
        guard let index = inFlight.indices.randomElement(using: &random) else { return }
        let seq = inFlight.remove(at: index)
        let before = outbox.counters.acknowledged
        act(&outbox, Entry.ID(rawValue: seq))
        guard outbox.counters.acknowledged > before else { return }
        acknowledged.insert(seq)
        if let lost = handedOut[seq]?.lost { declared.append(lost) }
    }

    /// Hands out and acknowledges all that is left, with one batch more to carry the last loss.
    mutating func drain() {
        append()
        inFlight = []
        outbox.connectionLost()
        outbox.window = 20
        now += 1000
        var rounds = 0
        while outbox.depth > 0, rounds < 10_000 {
            rounds += 1
            handOut()
            answer { outbox, id in outbox.acknowledge(id) }
        }
    }
}

@Suite("Outbox against a model")
struct OutboxPropertyTests {
    @Test("every number is acknowledged or in exactly one declared loss", arguments: 0..<60)
    func everyNumberIsAccountedFor(seed: Int) {
        let limits = OutboxLimits(
            maxBytes: Outbox.cost(of: batch(0, sightings: 3)) * (5 + seed), maxAgeHours: 2)
        var world = World(
            random: SeededGenerator(seed: UInt64(seed)), outbox: Outbox(limits))
        for _ in 0..<1500 {
            world.step()
            #expect(world.outbox.inFlight <= 20)
            #expect(world.outbox.inFlight == world.inFlight.count)
        }
        world.drain()
        #expect(world.outbox.depth == 0)
        #expect(world.outbox.bytes == 0)

        let missing = Set(0..<world.nextSeq).subtracting(world.acknowledged)
        let declared = world.declared.sorted { $0.fromSeq < $1.fromSeq }
        #expect(declared.reduce(0) { $0 + $1.batches } == UInt64(missing.count))
        for loss in declared {
            #expect(loss.batches <= loss.toSeq - loss.fromSeq + 1)
            #expect(missing.contains(loss.fromSeq) && missing.contains(loss.toSeq))
        }
        for seq in missing {
            #expect(
                declared.contains { ($0.fromSeq...$0.toSeq).contains(seq) },
                "\(seq) is missing and in no loss; seed \(seed)")
        }
        let counters = world.outbox.counters
        #expect(counters.acknowledged == UInt64(world.acknowledged.count))
        #expect(counters.refused + counters.dropped + counters.missed == UInt64(missing.count))
    }
}
