import Sightings

/// What is left of a store that was damaged and set aside.
///
/// Nothing here throws: what can't be read is not there.
package protocol Wreck: AnyObject {
    /// Rows that it says it had; `nil` where not even that can be read.
    var count: Int? { get }
    /// Rows up to this one may have been handed out; `nil` when that can't be believed.
    var claimed: Int64? { get }
    /// Shows what can still be read of each row, mostly in order; one may be shown twice, or in an older state.
    func each(_ show: (Remnant) -> Void)
    /// Losses that no message declares yet, by session, as far as they can be read, and whether these are all.
    func losses() -> (losses: [String: Loss], isWhole: Bool)
    /// Lets go of it, as it is.
    func close()
}

/// What is left of one row: head and body, or one of the two, its seal whole.
package struct Remnant {
    /// Where it was stored, as far as is known.
    package let id: Int64
    let row: Row?
    let parcel: Parcel?

    /// - Parameter place: where it was found, which its head knows better.
    init?(place: Int64, row: Row?, parcel: Parcel?) {
        guard row != nil || parcel != nil else { return nil }
        id = row?.id ?? place
        self.row = row
        self.parcel = parcel
    }

    /// - Parameters:
    ///   - head: as stored.
    ///   - body: as stored.
    init?(place: Int64, head: [UInt8], body: [UInt8]) {
        self.init(
            place: place, row: try? Row(decoding: head), parcel: try? Parcel(decoding: body))
    }
}

/// What came of a damaged store.
package struct Salvage: Equatable, Sendable {
    /// Batches that it had; `nil` where nobody knows.
    package var had: Int?
    /// Of these, the ones that go on.
    package var saved = 0
    /// Numbers that are gone, and that a later message declares, or a line of the log.
    package var declared: UInt64 = 0
    /// Whether it is known what losses were written down there.
    package var knowsLosses = true

    package init(had: Int?, saved: Int = 0, declared: UInt64 = 0, knowsLosses: Bool = true) {
        self.had = had
        self.saved = saved
        self.declared = declared
        self.knowsLosses = knowsLosses
    }
}
