import Beacons

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
