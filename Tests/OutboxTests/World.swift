import Primitives
import Sightings
import TestVectors
import Testing

@testable import Outbox

/// A message as a broker has it.
struct MessageKey: Hashable {
    let session: String
    let seq: UInt64
}

/// An agent that starts, ends, is killed, and a broker that takes, refuses, goes and comes: all at random, and beside
/// them what must come of it.
struct World {
    var random: SeededGenerator
    let limits: OutboxLimits
    /// Where the next agent finds what the last one left; called after a crash.
    let afterCrash: () -> any Disk
    var disk: any Disk
    var outbox: Outbox
    var now: Int64 = 0
    var session = 0
    var nextSeq: UInt64 = 0
    /// Reports per identity that a batch was put in with, by its number.
    var appended: [MessageKey: [UInt16: Int]] = [:]
    /// What the broker has, by what it is known by.
    var received: [MessageKey: Parcel] = [:]
    /// Losses that came with what the broker has.
    var declared: [String: Int] = [:]
    /// Numbers of which a crash left nothing.
    var perished: [String: Int] = [:]
    /// Losses of earlier sessions that nobody could declare any more.
    var undeclarable: [String: Int] = [:]
    var inFlight: [Entry] = []
    var isConnected = true
    var isClockSet = false
    /// Numbers with which another regime begins.
    var retuned: Set<MessageKey> = []

    init(
        seed: UInt64, limits: OutboxLimits, disk: any Disk, afterCrash: @escaping () -> any Disk
    ) {
        random = SeededGenerator(seed: seed)
        self.limits = limits
        self.disk = disk
        self.afterCrash = afterCrash
        outbox = Outbox(limits, origin: Origin(session: "0", boot: "b"), disk: disk, seed: seed)
    }

    mutating func step() {
        switch Int.random(in: 0..<200, using: &random) {
        case 0..<70: append()
        case 70..<130: handOut()
        case 130..<170: answer()
        case 170..<175: disconnect()
        case 175..<180: isConnected = true
        case 180..<197:
            now += Int64.random(in: 0...3, using: &random)
            outbox.tick(at: at(now))
        case 197: random.oneIn(3) ? damage() : endOrCrash()
        default: outbox.window = Int.random(in: 1...20, using: &random)
        }
    }

    mutating func append() {
        if random.oneIn(30) { nextSeq += UInt64.random(in: 1...4, using: &random) }
        now += 1
        let start = at(now - 1)
        var counts: [UInt16: Int] = [:]
        let sightings = (0..<UInt16.random(in: 0...4, using: &random)).map { minor in
            counts[minor] = Int.random(in: 1...9, using: &random)
            return sighting(minor, count: counts[minor] ?? 0, from: start)
        }
        appended[MessageKey(session: "\(session)", seq: nextSeq)] = counts
        let isDeaf = random.oneIn(20)
        let isRetuned = random.oneIn(15)
        if isRetuned { retuned.insert(MessageKey(session: "\(session)", seq: nextSeq)) }
        outbox.append(
            Batch(
                seq: nextSeq, interval: Interval(start: start, end: at(now)),
                state: isDeaf ? .deaf : .hearing, isRetuned: isRetuned, radio: RadioCounts(),
                sightings: sightings[...]),
            stamp: Stamp(offset: 0, clock: random.oneIn(40) ? .unsynced : .synced), at: at(now))
        nextSeq += 1
    }

    mutating func handOut() {
        guard isConnected else { return }
        if random.oneIn(20) { isClockSet.toggle() }
        let clock = Stamp(offset: now, clock: isClockSet ? .synced : .unsynced)
        guard let entry = outbox.next(at: at(now), clock: clock) else { return }
        inFlight.append(entry)
        // The broker may have it though nobody will ever hear so.
        if random.oneIn(2) { receive(entry) }
    }

    mutating func receive(_ entry: Entry) {
        let key = MessageKey(session: entry.session, seq: entry.batch.seq)
        if let before = received[key] {
            #expect(before == entry.parcel, "a repetition must be the same message")
            return
        }
        received[key] = entry.parcel
        if let lost = entry.lost {
            #expect(lost.toSeq < entry.batch.seq)
            declared[entry.session, default: 0] += Int(lost.batches)
        }
    }

    mutating func answer() {
        guard let index = inFlight.indices.randomElement(using: &random) else { return }
        let entry = inFlight.remove(at: index)
        let key = MessageKey(session: entry.session, seq: entry.batch.seq)
        if received[key] != nil {
            outbox.acknowledge(entry.id)
        } else if random.oneIn(3) {
            outbox.setAside(entry.id)
        } else {
            outbox.retry(entry.id, notBefore: at(now + 2))
        }
    }

    mutating func disconnect() {
        isConnected = false
        inFlight = []
        outbox.connectionLost()
    }

    mutating func endOrCrash() {
        // Two faults at once are one too many: rows were sent that a broken disk does not know to have been sent.
        if let depot = outbox.disk.depot, depot.loaded > depot.store.claimed { return }
        if random.oneIn(2) {
            _ = outbox.save(at: at(now))
            for frozen in outbox.attempted + outbox.head.elements where frozen.row == nil {
                perish(frozen.entry.parcel)
            }
            #expect(outbox.waiting.isEmpty)
        } else {
            for frozen in outbox.attempted + outbox.head.elements where frozen.row == nil {
                perish(frozen.entry.parcel)
            }
            for waiting in outbox.waiting.elements { perish(waiting.parcel) }
        }
        // What the disk does not know to be lost either.
        for (session, loss) in outbox.ledger.losses {
            let written = outbox.disk.losses[session]?.batches ?? 0
            perished[session, default: 0] += Int(loss.batches) - Int(written)
        }
        if let rows = try? outbox.memory.store.rows(after: 0, limit: .max) {
            for row in rows {
                guard let body = try? outbox.memory.store.body(of: row.id),
                    let parcel = try? Parcel(decoding: body)
                else { continue }
                perish(parcel)
            }
        }
        // And what was given up, but is still there, comes again.
        let store = outbox.disk.depot?.store ?? (try? disk.open(creating: false))
        for id in outbox.disk.done {
            guard let body = try? store?.body(of: id),
                let parcel = try? Parcel(decoding: body)
            else { continue }
            perish(parcel, -1)
        }
        for case .undeclarable(let session, let loss) in outbox.notices {
            undeclarable[session, default: 0] += Int(loss.batches)
        }
        disk = afterCrash()
        session += 1
        nextSeq = 0
        isClockSet = false
        inFlight = []
        outbox = Outbox(
            limits, origin: Origin(session: "\(session)", boot: "b"), disk: disk,
            seed: random.next())
        outbox.open(at: at(now))
    }

    /// Some rows of the store can't be read any more, and it is noticed.
    mutating func damage() {
        guard let disk = disk as? FakeDisk, let store = outbox.disk.depot?.store,
            outbox.stored > 0, outbox.disk.mayTry(at: at(now)), disk.survives != nil
        else { return }
        let chance = Int.random(in: 1...6, using: &random)
        var gone: Set<Int64> = []
        var known = Set(outbox.disk.done)
        for frozen in outbox.attempted + outbox.writtenAhead.elements + outbox.head.elements {
            if let row = frozen.row { known.insert(row) }
        }
        var heads: Set<Int64> = []
        for row in (try? store.rows(after: 0, limit: .max)) ?? [] where random.oneIn(chance) {
            gone.insert(row.id)
            if random.oneIn(2) { heads.insert(row.id) }
            guard !known.contains(row.id), row.session != "\(session)",
                let body = try? store.body(of: row.id),
                let parcel = try? Parcel(decoding: body)
            else { continue }
            if heads.contains(row.id) {
                // What of it is lost is told; also if the broker has it, which nobody knows.
                let key = MessageKey(session: row.session, seq: parcel.batch.seq)
                guard received[key] != nil else { continue }
                perished[row.session, default: 0] -= row.numbers.count
                perished[row.session, default: 0] -= Int(row.lost?.batches ?? 0)
            } else {
                perish(parcel)
            }
        }
        disk.survives = { !gone.contains($0) }
        disk.hasHead = { heads.contains($0) }
        let failsCommit = disk.failsCommit
        disk.failsCommit = { false }
        disk.failure = FakeDisk.broken
        let before = disk.setAsides
        outbox.expire(at: at(now))
        #expect(disk.setAsides == before + 1)
        disk.failsCommit = failsCommit
    }

    private mutating func perish(_ parcel: Parcel, _ sign: Int = 1) {
        let key = MessageKey(session: parcel.origin.session, seq: parcel.batch.seq)
        guard received[key] == nil else { return }
        let numbers = parcel.batch.numbers
        perished[key.session, default: 0] += sign * numbers.count
        perished[key.session, default: 0] += sign * Int(parcel.lost?.batches ?? 0)
    }

    /// Lets the broker take all that is left, and a last message of the session that may carry its losses.
    mutating func settle() {
        isConnected = true
        inFlight = []
        outbox.connectionLost()
        outbox.window = 20
        append()
        var rounds = 0
        while outbox.depth > 0, rounds < 50_000 {
            rounds += 1
            now += 1
            while let entry = outbox.next(at: at(now)) {
                receive(entry)
                outbox.acknowledge(entry.id)
            }
            outbox.tick(at: at(now))
        }
        #expect(outbox.depth == 0)
        #expect(outbox.bytes == 0)
    }

    /// Every number is in exactly one message, or in exactly one loss, or went with a crash.
    func check(seed: Int) {
        var undeclared = undeclarable
        for case .undeclarable(let session, let loss) in outbox.notices {
            undeclared[session, default: 0] += Int(loss.batches)
        }
        for (session, loss) in outbox.ledger.losses {
            undeclared[session, default: 0] += Int(loss.batches)
        }
        var numbers: [String: Set<UInt64>] = [:]
        var counts: [UInt16: Int] = [:]
        for (key, parcel) in received {
            let behindFirst = parcel.batch.numbers.dropFirst().filter {
                retuned.contains(MessageKey(session: key.session, seq: $0))
            }
            #expect(behindFirst.isEmpty, "merged across a retune, seed \(seed)")
            for number in parcel.batch.numbers {
                let isNew = numbers[key.session, default: []].insert(number).inserted
                #expect(isNew, "\(key.session): \(number) is in two messages; seed \(seed)")
            }
            for sighting in parcel.batch.sightings {
                counts[sighting.identity.minor, default: 0] += sighting.count
            }
        }
        var expected: [UInt16: Int] = [:]
        for (key, batch) in appended where numbers[key.session]?.contains(key.seq) == true {
            for (minor, count) in batch { expected[minor, default: 0] += count }
        }
        #expect(counts == expected, "seed \(seed)")
        for session in 0...session {
            let name = "\(session)"
            let last = appended.keys.filter { $0.session == name }.map(\.seq).max()
            guard let last else { continue }
            let missing = Int(last) + 1 - (numbers[name]?.count ?? 0)
            let told = declared[name] ?? 0
            let accounted = told + (perished[name] ?? 0) + (undeclared[name] ?? 0)
            #expect(accounted == missing, "session \(name), seed \(seed)")
        }
    }
}
