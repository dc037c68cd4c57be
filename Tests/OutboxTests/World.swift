import Primitives
import Sightings
import TestVectors
import Testing

@testable import Outbox

/// Identifies a message, as a broker knows it.
struct MessageKey: Hashable {
    let session: String
    let seq: UInt64
}

/// A random sequence of everything that happens to an outbox, and a model of the correct result.
///
/// The model knows the appended batches, the messages and losses that left the outbox, and the rows on the disk at each
/// end of an agent. It reads nothing else of the outbox.
struct World {
    private var random: SeededGenerator
    private let limits: OutboxLimits
    /// Kills the agent. Returns the disk of the next agent, and one to read the same rows from.
    private let kill: () -> (next: any Disk, copy: any Disk)
    private var disk: any Disk
    private var outbox: Outbox
    private var now: Int64 = 0
    private var session = 0
    private var nextSeq: UInt64 = 0
    private var isConnected = true
    private var isClockSet = false
    private var inFlight: [Entry] = []
    private var model = OutboxModel()

    init(
        seed: UInt64, limits: OutboxLimits, disk: any Disk,
        kill: @escaping () -> (next: any Disk, copy: any Disk)
    ) {
        random = SeededGenerator(seed: seed)
        self.limits = limits
        self.disk = disk
        self.kill = kill
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
        case 197: random.oneIn(3) ? damage() : restart()
        default: outbox.window = Int.random(in: 1...20, using: &random)
        }
    }

    private mutating func append() {
        if random.oneIn(30) { nextSeq += UInt64.random(in: 1...4, using: &random) }
        now += 1
        let start = at(now - 1)
        var counts: [UInt16: Int] = [:]
        let sightings = (0..<UInt16.random(in: 0...4, using: &random)).map { minor in
            counts[minor] = Int.random(in: 1...9, using: &random)
            return sighting(minor, count: counts[minor] ?? 0, from: start)
        }
        let isDeaf = random.oneIn(20)
        let isRetuned = random.oneIn(15)
        model.appended(
            MessageKey(session: "\(session)", seq: nextSeq), counts, isRetuned: isRetuned)
        outbox.append(
            Batch(
                seq: nextSeq, interval: Interval(start: start, end: at(now)),
                state: isDeaf ? .deaf : .hearing, isRetuned: isRetuned, radio: RadioCounts(),
                sightings: sightings[...]),
            stamp: Stamp(offset: .zero, clock: random.oneIn(40) ? .unsynced : .synced), at: at(now))
        nextSeq += 1
    }

    private mutating func handOut() {
        guard isConnected else { return }
        if random.oneIn(20) { isClockSet.toggle() }
        let clock = Stamp(offset: .microseconds(now), clock: isClockSet ? .synced : .unsynced)
        guard let entry = outbox.next(at: at(now), clock: clock) else { return }
        inFlight.append(entry)
        model.handedOut(entry)
        // The broker can have a message whose acknowledgement never arrives.
        if random.oneIn(2) { model.received(entry) }
    }

    private mutating func answer() {
        guard let index = inFlight.indices.randomElement(using: &random) else { return }
        let entry = inFlight.remove(at: index)
        if model.hasReceived(entry) {
            outbox.acknowledge(entry.id)
        } else if random.oneIn(3) {
            outbox.setAside(entry.id)
        } else {
            outbox.retry(entry.id, notBefore: at(now + 2))
        }
    }

    private mutating func disconnect() {
        isConnected = false
        inFlight = []
        outbox.connectionLost()
    }

    /// Ends the agent, with or without a chance to save, and starts the next one.
    private mutating func restart() {
        // The documented exception: a disk that fails while the backlog is sent, and then a kill.
        if model.hasSentUnclaimed(DiskContents(disk)) { return }
        let isClean = random.oneIn(2)
        let failedBefore = (disk as? FakeDisk)?.failedCommits
        if isClean {
            _ = outbox.save(at: at(now))
            outbox.reportUndeclaredLoss()
        }
        model.happened(outbox.takeEvents())
        let disks = kill()
        let isSaved =
            isClean && outbox.unsaved == 0 && (disk as? FakeDisk)?.failedCommits == failedBefore
        model.ended(leaving: DiskContents(disks.copy), losesNothing: isSaved)
        disk = disks.next
        session += 1
        nextSeq = 0
        isClockSet = false
        inFlight = []
        outbox = Outbox(
            limits, origin: Origin(session: "\(session)", boot: "b"), disk: disk,
            seed: random.next())
        outbox.open(at: at(now))
    }

    /// Makes some rows of the file unreadable, and lets the outbox find that.
    private mutating func damage() {
        guard let disk = disk as? FakeDisk, disk.survives != nil, outbox.stored > 0,
            outbox.isDurable
        else { return }
        let chance = Int.random(in: 1...6, using: &random)
        var gone: Set<Int64> = []
        var readable: Set<Int64> = []
        for row in DiskContents(disk).rows where random.oneIn(chance) {
            gone.insert(row.header.id)
            let isHeaderReadable = random.oneIn(2)
            if isHeaderReadable { readable.insert(row.header.id) }
            if row.header.session != "\(session)" {
                model.damaged(row, isHeaderReadable: isHeaderReadable)
            }
        }
        disk.survives = { !gone.contains($0) }
        disk.hasHeader = { readable.contains($0) }
        let failsCommit = disk.failsCommit
        disk.failsCommit = { false }
        disk.failure = FakeDisk.broken
        let before = disk.setAsides
        outbox.expire(at: at(now))
        #expect(disk.setAsides == before + 1)
        disk.failsCommit = failsCommit
    }

    /// Delivers everything, and a last batch that can declare the losses of the session.
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
                model.received(entry)
                outbox.acknowledge(entry.id)
            }
            outbox.tick(at: at(now))
        }
        #expect(outbox.depth == 0)
        #expect(outbox.bytes == 0)
        _ = outbox.save(at: at(now))
        outbox.reportUndeclaredLoss()
        model.happened(outbox.takeEvents())
    }

    func check() { model.check(DiskContents(disk)) }
}
