import Beacons

/// The senders of the few sightings of a window that have more than one.
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
        /// The set is full, and the sender is not in it.
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

/// The largest number of identities that one sender advertises.
enum BusiestSender {
    /// More identities than one device advertises. A beacon with several slots has up to eight.
    static let usual = 16

    /// The number of identities of one sender in a window, if above the usual; otherwise 0.
    ///
    /// - Parameter senders: one sender of each identity.
    static func identities(of senders: [DeviceAddress], seed: HashSeed) -> Int {
        guard senders.count > usual, mayRepeat(senders, seed) else { return 0 }
        var most = 0
        var run = 0
        var previous: UInt64?
        for sender in senders.lazy.map(\.rawValue).sorted() {
            run = sender == previous ? run + 1 : 1
            previous = sender
            most = max(most, run)
        }
        return most > usual ? most : 0
    }

    /// Whether some hash occurs more often than usual: only then the senders are sorted, which takes ten times as long.
    private static func mayRepeat(_ senders: [DeviceAddress], _ seed: HashSeed) -> Bool {
        var size = 64
        while size < senders.count { size *= 2 }
        var counts = [UInt16](repeating: 0, count: size)
        return senders.contains { sender in
            let place = Int(truncatingIfNeeded: seed.hash(sender.rawValue, 0)) & (size - 1)
            counts[place] += 1
            return counts[place] > usual
        }
    }
}

/// A secret in every hash: a sender can't choose identities that collide.
package struct HashSeed: Sendable {
    private let first: UInt64
    private let second: UInt64

    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    @inline(__always)
    func hash(_ identity: BeaconIdentity) -> UInt64 {
        fold(
            fold(identity.high ^ first, identity.low ^ second) ^ identity.rest ^ second,
            0x9e37_79b9_7f4a_7c15)
    }

    @inline(__always)
    func hash(_ word: UInt64, _ index: UInt32) -> UInt64 {
        fold(word ^ first, UInt64(index) ^ second)
    }

    /// Both halves of the 128-bit product: every bit of either factor reaches every bit of the result.
    @inline(__always)
    private func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
