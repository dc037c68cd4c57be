import Beacon

/// The open window's sightings by identity: a flat list in the order of arrival and an open-addressing index over it.
///
/// Nothing is allocated for a report of an identity that is known. The list itself is handed out when the window closes,
/// and the next one begins with as much room; the index is kept, but for what a burst left behind.
struct SightingTable {
    private var sightings: [Sighting] = []
    /// The sender of each sighting's latest report: as a rule also that of the next.
    private var latestSenders: [DeviceAddress] = []
    /// Index in `sightings` plus one, or zero for an empty slot; a power of two in number, at most half full.
    private var slots: [UInt32]
    private var senders: SenderSet
    private let seed: HashSeed
    private let capacity: Int
    /// Enough for a thousand identities to be found at the first look.
    private static let fewestSlots = 4096

    /// - Parameter capacity: identities, and likewise further senders, followed in one window.
    init(capacity: Int, seed: HashSeed) {
        self.capacity = capacity
        self.seed = seed
        slots = [UInt32](repeating: 0, count: Self.fewestSlots)
        senders = SenderSet(capacity: capacity, seed: seed)
    }

    /// What became of a report.
    enum Outcome {
        case counted
        /// Counted, but its sender may or may not be a new one.
        case countedOfUnresolvedSender
        /// Not counted: the identity is one more than the table holds.
        case refused
    }

    @inline(__always)
    mutating func add(
        _ beacon: IBeacon, rssi: RSSI, from sender: DeviceAddress, at instant: Instant
    ) -> Outcome {
        var slot = Int(truncatingIfNeeded: seed.hash(beacon.identity)) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if sightings[index].identity == beacon.identity {
                sightings[index].add(rssi, measuredPower: beacon.measuredPower, at: instant)
                return latestSenders[index] == sender ? .counted : resolve(sender, of: index)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return append(beacon, rssi: rssi, from: sender, at: instant, slot)
    }

    /// Kept out of the way of the reports of identities that are known.
    @inline(never)
    private mutating func append(
        _ beacon: IBeacon, rssi: RSSI, from sender: DeviceAddress, at instant: Instant, _ slot: Int
    ) -> Outcome {
        guard sightings.count < capacity else { return .refused }
        sightings.append(Sighting(of: beacon, rssi: rssi, at: instant))
        latestSenders.append(sender)
        slots[slot] = UInt32(sightings.count)
        if sightings.count * 2 > slots.count { rebuildIndex(slotCount: slots.count * 2) }
        return .counted
    }

    /// The sender changed: both the one before and this one are remembered from now on.
    private mutating func resolve(_ sender: DeviceAddress, of index: Int) -> Outcome {
        let number = UInt32(index)
        if sightings[index].senders == 1 {
            _ = senders.insert(latestSenders[index], of: number)
        }
        latestSenders[index] = sender
        switch senders.insert(sender, of: number) {
        case .new: sightings[index].senders += 1
        case .known: break
        case .full: return .countedOfUnresolvedSender
        }
        return .counted
    }

    private mutating func rebuildIndex(slotCount: Int) {
        slots = [UInt32](repeating: 0, count: slotCount)
        for index in sightings.indices {
            var slot = Int(truncatingIfNeeded: seed.hash(sightings[index].identity))
            slot &= slotCount - 1
            while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }

    /// Hands out the sightings and starts anew.
    mutating func take() -> [Sighting] {
        guard !sightings.isEmpty || slots.count > Self.fewestSlots else { return [] }
        let taken = sightings
        sightings = []
        // Room for as many again, but not for what a burst sixteen times as large once needed.
        if slots.count > Self.fewestSlots, slots.count > 32 * taken.count {
            latestSenders = []
            slots = [UInt32](repeating: 0, count: Self.fewestSlots)
        } else {
            sightings.reserveCapacity(taken.count + taken.count / 8)
            latestSenders.removeAll(keepingCapacity: true)
            for slot in slots.indices { slots[slot] = 0 }
        }
        senders.removeAll()
        return taken
    }
}
