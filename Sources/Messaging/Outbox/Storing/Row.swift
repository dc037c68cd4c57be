import Primitives
import Sightings

/// What is known of a stored parcel without opening it: enough to decide what to merge, to drop, and to send.
package struct Row: Equatable, Sendable {
    /// Its place in the order in which parcels were stored; never used again.
    package var id: Int64
    package var session: String
    /// The numbers that it stands for.
    package var numbers: ClosedRange<UInt64>
    /// It may have been handed out: nothing of it may change.
    package var isFrozen: Bool
    package var interval: Interval
    package var stamp: Stamp
    package var state: RadioState
    /// It begins with a window that is never merged with the one before.
    package var isRetuned: Bool
    package var part: Batch.Part?
    /// What it has to declare.
    package var lost: Loss?

    package init(
        id: Int64, session: String, numbers: ClosedRange<UInt64>, isFrozen: Bool,
        interval: Interval, stamp: Stamp, state: RadioState, isRetuned: Bool = false,
        part: Batch.Part?, lost: Loss? = nil
    ) {
        self.id = id
        self.session = session
        self.numbers = numbers
        self.isFrozen = isFrozen
        self.interval = interval
        self.stamp = stamp
        self.state = state
        self.isRetuned = isRetuned
        self.part = part
        self.lost = lost
    }

    /// The row of a parcel that has no place yet.
    init(of parcel: Parcel, isFrozen: Bool) {
        self.init(
            id: 0, session: parcel.origin.session, numbers: parcel.batch.numbers,
            isFrozen: isFrozen, interval: parcel.batch.interval, stamp: parcel.stamp,
            state: parcel.batch.state, isRetuned: parcel.batch.isRetuned,
            part: parcel.batch.part, lost: parcel.lost)
    }

    /// What `bytes` of body take in a file of pages: SQLite keeps a row in a leaf of the table's tree, and a long one's
    /// rest in pages of its own (sqlite.org/fileformat2.html, section 1.6).
    package static func cost(ofBody bytes: Int) -> Int {
        let page = 4096
        let payload = bytes + headBytes
        guard payload > page - 35 else { return max(payload, page / max(1, (page - 8) / payload)) }
        let least = (page - 12) * 32 / 255 - 23
        var local = least + (payload - least) % (page - 4)
        if local > page - 35 { local = least }
        let pages = (payload - local + page - 5) / (page - 4)
        return pages * page + page / max(1, (page - 8) / local)
    }

    /// The head beside the body.
    private static let headBytes = 110
}
