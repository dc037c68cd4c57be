import Beacons
import Primitives

/// The open window's sightings by identity: a list in the order of arrival, and an open-addressing index over it.
///
/// Nothing is allocated for a report of an identity that is known. The list itself is handed out when the window closes,
/// and the next list has the same capacity. The index stays, unless a burst has enlarged it.
struct SightingTable {
    /// The parts of a report that a sighting counts.
    struct Report {
        let frame: BeaconFrame
        let rssi: RSSI
        let sender: DeviceAddress
        let instant: Instant
    }

    var sightings: [Sighting] = []
    /// The sender of each sighting's latest report; usually also the sender of the next one.
    var latestSenders: [DeviceAddress] = []
    /// A power of two in number, at most half full.
    var slots: [Slot]
    private var senders: SenderSet
    /// In a crowd: reports that are not yet counted.
    var waiting: [Waiting] = []
    private let seed: HashSeed
    private let capacity: Int
    private let crowd: Int
    /// Enough for a thousand identities to be found at the first look.
    private static let fewestSlots = 4096

    /// - Parameters:
    ///   - capacity: identities, and likewise further senders, followed in one window.
    ///   - crowd: from this number of identities on, reports are counted some at a time.
    init(capacity: Int, seed: HashSeed, crowd: Int) {
        self.capacity = min(capacity, Slot.mostSightings)
        self.crowd = crowd
        self.seed = seed
        slots = [Slot](repeating: .empty, count: Self.fewestSlots)
        senders = SenderSet(capacity: capacity, seed: seed)
    }

    /// Counts a report into its identity's sighting, and the outcome into `counts`. In a crowd it
    /// waits for a group of reports.
    @inline(__always)
    mutating func add(_ report: Report, counting counts: inout RadioCounts) {
        let hash = seed.hash(report.frame.identity)
        guard sightings.count < crowd else {
            return wait(Waiting(report: report, hash: hash), counting: &counts)
        }
        add(report, hash, counting: &counts)
    }

    @inline(__always)
    mutating func add(_ report: Report, _ hash: UInt64, counting counts: inout RadioCounts) {
        var slot = firstSlot(of: hash)
        while !slots[slot].isEmpty {
            let index = slots[slot].index
            if slots[slot].mayBe(of: hash),
                sightings[index].identity == report.frame.identity
            {
                return count(report, at: index, counting: &counts)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        append(report, hash, slot, counting: &counts)
    }

    /// A report of the identity at `index`.
    @inline(__always)
    mutating func count(_ report: Report, at index: Int, counting counts: inout RadioCounts) {
        sightings[index].add(
            report.rssi, measuredPower: report.frame.power, at: report.instant)
        counts.beacons += 1
        if latestSenders[index] != report.sender, !resolve(report.sender, of: index) {
            counts.unresolvedSenders += 1
        }
    }

    /// Not inlined: most reports are of known identities.
    @inline(never)
    private mutating func append(
        _ report: Report, _ hash: UInt64, _ slot: Int, counting counts: inout RadioCounts
    ) {
        guard sightings.count < capacity else {
            counts.untracked += 1
            return
        }
        counts.beacons += 1
        sightings.append(Sighting(of: report.frame, rssi: report.rssi, at: report.instant))
        latestSenders.append(report.sender)
        slots[slot] = Slot(index: sightings.count - 1, hash: hash)
        if sightings.count * 2 > slots.count { rebuildIndex(slotCount: slots.count * 2) }
    }

    /// Records a change of the sender: from now on, the set has the former sender and this one.
    ///
    /// - Returns: `false` if the set is full, so that it is unknown whether the sender is new.
    private mutating func resolve(_ sender: DeviceAddress, of index: Int) -> Bool {
        let number = UInt32(index)
        if sightings[index].senders == 1 {
            _ = senders.insert(latestSenders[index], of: number)
        }
        latestSenders[index] = sender
        switch senders.insert(sender, of: number) {
        case .new: sightings[index].senders += 1
        case .known: break
        case .full: return false
        }
        return true
    }

    @inline(__always)
    func firstSlot(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash) & (slots.count - 1)
    }

    private mutating func rebuildIndex(slotCount: Int) {
        slots = [Slot](repeating: .empty, count: slotCount)
        for index in sightings.indices {
            let hash = seed.hash(sightings[index].identity)
            var slot = firstSlot(of: hash)
            while !slots[slot].isEmpty { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = Slot(index: index, hash: hash)
        }
    }

    /// Returns the sightings, with the telemetry of their senders, and starts again.
    mutating func take(
        _ telemetry: inout SenderTelemetry, counting counts: inout RadioCounts, at moment: Instant
    ) -> [Sighting] {
        settle(counting: &counts)
        telemetry.join(to: &sightings, of: latestSenders, at: moment)
        guard !sightings.isEmpty || slots.count > Self.fewestSlots else { return [] }
        counts.identitiesPerSender = BusiestSender.identities(of: latestSenders, seed: seed)
        let taken = sightings
        sightings = []
        // Room for as many again, but not for what a burst sixteen times as large once needed.
        if slots.count > Self.fewestSlots, slots.count > 32 * taken.count {
            latestSenders = []
            slots = [Slot](repeating: .empty, count: Self.fewestSlots)
        } else {
            sightings.reserveCapacity(taken.count + taken.count / 8)
            latestSenders.removeAll(keepingCapacity: true)
            for slot in slots.indices { slots[slot] = .empty }
        }
        senders.removeAll()
        return taken
    }
}

/// In a crowd, a report's slot and sighting have mostly left the caches since the last report of that identity. Looked up
/// one by one, each report would wait for memory; looked up some at a time, they wait together. With 100,000 identities
/// that halves what a report costs.
extension SightingTable {
    /// A report that waits for its lookup, and the intermediate results of that lookup.
    struct Waiting {
        let report: Report
        let hash: UInt64
        /// Where its sighting may be.
        var guess = Slot.empty
        /// Whether it is there.
        var isFound = false
        /// The result of a read that only loads the cache line.
        var near: Int64 = 0
    }

    /// More than a core has loads under way.
    private static let mostWaiting = 32

    @inline(never)
    mutating func wait(_ report: Waiting, counting counts: inout RadioCounts) {
        waiting.append(report)
        if waiting.count == Self.mostWaiting { settle(counting: &counts) }
    }

    /// Counts the reports that wait, in the order in which they came.
    ///
    /// Each of the first loops only reads what the one before has found: no read waits for another of the same loop.
    mutating func settle(counting counts: inout RadioCounts) {
        for number in waiting.indices {
            waiting[number].guess = slots[firstSlot(of: waiting[number].hash)]
        }
        for number in waiting.indices {
            waiting[number].guess = guess(waiting[number].hash)
        }
        for number in waiting.indices where !waiting[number].guess.isEmpty {
            let index = waiting[number].guess.index
            waiting[number].near = touch(index)
            waiting[number].isFound =
                sightings[index].identity == waiting[number].report.frame.identity
        }
        for waiting in waiting {
            if waiting.isFound {
                count(waiting.report, at: waiting.guess.index, counting: &counts)
            } else {
                add(waiting.report, waiting.hash, counting: &counts)
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// The first slot whose hash bits match, or an empty one.
    @inline(__always)
    private func guess(_ hash: UInt64) -> Slot {
        var slot = firstSlot(of: hash)
        while !slots[slot].isEmpty, !slots[slot].mayBe(of: hash) {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slots[slot]
    }

    /// Reads from each of the cache lines that a sighting lies in, but for its identity's.
    @inline(__always)
    private func touch(_ index: Int) -> Int64 {
        Int64(sightings[index].signal.count)
            ^ sightings[index].signal.reference.microseconds
            ^ Int64(truncatingIfNeeded: latestSenders[index].rawValue)
    }
}
