import Facts
import Primitives
import Queueing

/// The beacons of regions that were heard, by their tags.
struct RegionSubjects {
    private struct Entry {
        let subject: RegionTable.Subject
        var last: UnixTime
    }

    private var entries: [Tag: Entry] = [:]

    /// Those of persons are forgotten after a day: their pseudonyms end with it.
    private static let memory = Duration.seconds(2 * 86_400)
    private static let most = 50_000

    subscript(tag: Tag) -> RegionTable.Subject? { entries[tag]?.subject }

    func has(_ tag: Tag, in region: Int) -> Bool {
        guard let regions = entries[tag]?.subject.regions else { return false }
        // In ascending order.
        var (low, high) = (regions.startIndex, regions.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if regions[middle] < region { low = middle + 1 } else { high = middle }
        }
        return low < regions.endIndex && regions[low] == region
    }

    /// - Returns: whether there is a place for it.
    mutating func note(_ tag: Tag, _ subject: RegionTable.Subject, at time: UnixTime) -> Bool {
        if let last = entries[tag]?.last {
            // One from before a restart may know fewer regions.
            entries[tag] = Entry(subject: subject, last: max(last, time))
            return true
        }
        guard entries.count < Self.most else { return false }
        entries[tag] = Entry(subject: subject, last: time)
        return true
    }

    mutating func forget(newest: UnixTime) {
        entries = entries.filter { $0.value.last > newest - Self.memory }
    }
}
