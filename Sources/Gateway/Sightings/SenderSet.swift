import Beacons

/// Which senders stood behind which sighting of the window, for the few identities that have more than one.
struct SenderSet {
    private struct Entry {
        var sender: DeviceAddress
        /// The sighting's index plus one; zero marks an empty slot.
        var owner: UInt32
    }

    /// What an insertion found.
    enum Outcome {
        case new
        case known
        /// There is no room to remember another.
        case full
    }

    private var entries: [Entry] = []
    private var count = 0
    private let capacity: Int
    private let seed: HashSeed

    init(capacity: Int, seed: HashSeed) {
        self.capacity = capacity
        self.seed = seed
    }

    mutating func insert(_ sender: DeviceAddress, of index: UInt32) -> Outcome {
        if count * 2 >= entries.count { grow() }
        var slot = self.slot(sender, index)
        while entries[slot].owner != 0 {
            if entries[slot].owner == index + 1, entries[slot].sender == sender { return .known }
            slot = (slot + 1) & (entries.count - 1)
        }
        guard count < capacity else { return .full }
        entries[slot] = Entry(sender: sender, owner: index + 1)
        count += 1
        return .new
    }

    mutating func removeAll() {
        guard count > 0 else { return }
        entries = []
        count = 0
    }

    private func slot(_ sender: DeviceAddress, _ index: UInt32) -> Int {
        Int(truncatingIfNeeded: seed.hash(sender.rawValue, index)) & (entries.count - 1)
    }

    private mutating func grow() {
        let old = entries
        let empty = Entry(sender: DeviceAddress(rawValue: 0), owner: 0)
        entries = [Entry](repeating: empty, count: max(16, old.count * 2))
        for entry in old where entry.owner != 0 {
            var slot = self.slot(entry.sender, entry.owner - 1)
            while entries[slot].owner != 0 { slot = (slot + 1) & (entries.count - 1) }
            entries[slot] = entry
        }
    }
}
