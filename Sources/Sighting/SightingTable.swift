import Beacon

/// The open window's sightings by identity: a flat list in the order of arrival and an open-addressing index over it.
///
/// Nothing is allocated for a report of an identity that is known; the storage grows with the identities and is kept
/// from window to window, but for what a burst left behind.
struct SightingTable {
    private struct Record {
        var sighting: Sighting
        /// The sender of the latest report: as a rule also that of the next.
        var sender: DeviceAddress
    }

    private var records: ContiguousArray<Record> = []
    /// Index in `records` plus one, or zero for an empty slot; a power of two in number, at most half full.
    private var slots: [UInt32]
    private var senders: SenderSet
    private let seed: HashSeed
    private let capacity: Int
    private static let fewestSlots = 256

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

    mutating func add(
        _ beacon: IBeacon, rssi: RSSI, from sender: DeviceAddress, at instant: Instant
    ) -> Outcome {
        var slot = Int(truncatingIfNeeded: seed.hash(beacon.identity)) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if records[index].sighting.identity == beacon.identity {
                return add(beacon, rssi: rssi, from: sender, at: instant, to: index)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        guard records.count < capacity else { return .refused }
        records.append(
            Record(sighting: Sighting(of: beacon, rssi: rssi, at: instant), sender: sender))
        slots[slot] = UInt32(records.count)
        if records.count * 2 > slots.count { rebuildIndex(slotCount: slots.count * 2) }
        return .counted
    }

    @inline(__always)
    private mutating func add(
        _ beacon: IBeacon, rssi: RSSI, from sender: DeviceAddress, at instant: Instant,
        to index: Int
    ) -> Outcome {
        records[index].sighting.add(rssi, measuredPower: beacon.measuredPower, at: instant)
        guard records[index].sender != sender else { return .counted }
        return resolve(sender, of: index)
    }

    /// The sender changed: both the one before and this one are remembered from now on.
    private mutating func resolve(_ sender: DeviceAddress, of index: Int) -> Outcome {
        let number = UInt32(index)
        if records[index].sighting.senders == 1 {
            _ = senders.insert(records[index].sender, of: number)
        }
        records[index].sender = sender
        switch senders.insert(sender, of: number) {
        case .new: records[index].sighting.senders += 1
        case .known: break
        case .full: return .countedOfUnresolvedSender
        }
        return .counted
    }

    private mutating func rebuildIndex(slotCount: Int) {
        slots = [UInt32](repeating: 0, count: slotCount)
        for index in records.indices {
            var slot = Int(truncatingIfNeeded: seed.hash(records[index].sighting.identity))
            slot &= slotCount - 1
            while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }

    /// Hands out the sightings and starts anew.
    mutating func take() -> [Sighting] {
        guard !records.isEmpty || slots.count > Self.fewestSlots else { return [] }
        let sightings = records.map(\.sighting)
        // Room for as many again, but not for what a burst sixteen times as large once needed.
        if slots.count > Self.fewestSlots, slots.count > 32 * records.count {
            records = []
            slots = [UInt32](repeating: 0, count: Self.fewestSlots)
        } else {
            records.removeAll(keepingCapacity: true)
            for slot in slots.indices { slots[slot] = 0 }
        }
        senders.removeAll()
        return sightings
    }
}
