import Primitives
import Sightings

/// The facts about a stored batch that merging, dropping and sending need. Its body stays encoded.
package struct BatchHeader: Equatable, Sendable {
    /// The row: ascending in the order of storing, never used again.
    package var id: Int64 = 0
    package var session: String
    /// The sequence numbers that the batch covers.
    package var numbers: ClosedRange<UInt64>
    /// The batch may have been sent: it never changes.
    package var isFinal: Bool
    package var interval: Interval
    package var stamp: Stamp
    package var state: RadioState
    /// The first window follows a retune; it is never merged with earlier windows.
    package var isRetuned: Bool
    package var part: Batch.Part?
    /// The loss that the message declares.
    package var lost: Loss?
}

extension BatchHeader {
    /// The header of a batch that has no row yet.
    init(of stored: StoredBatch, isFinal: Bool) {
        self.init(
            session: stored.origin.session, numbers: stored.batch.numbers, isFinal: isFinal,
            interval: stored.batch.interval, stamp: stored.stamp, state: stored.batch.state,
            isRetuned: stored.batch.isRetuned, part: stored.batch.part, lost: stored.lost)
    }

    func with(id: Int64) -> BatchHeader {
        var header = self
        header.id = id
        return header
    }

    /// The bytes that a row with such a body takes in the file: a leaf holds the row, and overflow pages hold the rest of
    /// a long one (sqlite.org/fileformat2.html, section 1.6).
    package static func cost(ofBody bytes: Int) -> Int {
        let page = 4096
        let payload = bytes + headerBytes
        guard payload > page - 35 else { return max(payload, page / max(1, (page - 8) / payload)) }
        let least = (page - 12) * 32 / 255 - 23
        var local = least + (payload - least) % (page - 4)
        if local > page - 35 { local = least }
        let pages = (payload - local + page - 5) / (page - 4)
        return pages * page + page / max(1, (page - 8) / local)
    }

    private static let headerBytes = 110
}
