import Sightings

/// How many sightings there have been, and how many identities the latest window had.
package struct SightingTally: Equatable, Sendable {
    package private(set) var total: UInt64 = 0
    /// The number of identities; `nil` while the radio is deaf, and before the first window.
    package private(set) var identities: Int?

    package init() {}

    /// Continues an earlier tally.
    package init(total: UInt64, identities: Int?) {
        self.total = total
        self.identities = identities
    }

    /// A window, or a part of one, has ended.
    package mutating func count(_ batch: Batch) {
        let count = batch.sightings.count
        total &+= UInt64(count)
        let before = (batch.part?.index ?? 0) > 0 ? identities ?? 0 : 0
        identities = batch.state == .hearing ? before + count : nil
    }
}
