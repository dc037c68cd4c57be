import Sightings

/// What is known of a damaged store while it is searched: what was there, what was found, and what is missing.
struct Wreckage {
    /// Rows that are in memory as well, or done with.
    private let known: Set<Int64>
    /// Numbers that need not be found any more, by session: they are in memory, or were found.
    private var taken: [String: RangeSet<UInt64>] = [:]
    /// Numbers that were found, by session.
    private(set) var found: [String: RangeSet<UInt64>] = [:]
    /// Heads without a body.
    private var heads: [Row] = []

    init(done: [Int64], inMemory: [(row: Int64?, entry: Entry)]) {
        known = Set(inMemory.compactMap(\.row) + done)
        for (_, entry) in inMemory {
            taken[entry.session, default: RangeSet()].insert(entry.batch.numbers)
        }
    }

    /// The parcel that goes on; `nil` where there is none, or where it need not.
    mutating func parcel(of remnant: Remnant) -> Parcel? {
        guard !known.contains(remnant.id) else { return nil }
        guard let parcel = remnant.parcel else {
            if let head = remnant.row { heads.append(head) }
            return nil
        }
        let session = parcel.origin.session
        let numbers = parcel.batch.numbers
        // An older state of the same, from a page that is not in use any more.
        guard !taken[session, default: RangeSet()].overlaps(numbers) else { return nil }
        taken[session, default: RangeSet()].insert(numbers)
        found[session, default: RangeSet()].insert(numbers)
        return parcel
    }

    /// Rows of which nothing but the head was found; to be asked for at the end.
    var gone: [Row] {
        var taken = taken
        return heads.filter { head in
            let isNew = !taken[head.session, default: RangeSet()].overlaps(head.numbers)
            taken[head.session, default: RangeSet()].insert(head.numbers)
            return isNew
        }
    }
}
