import Facts
import Primitives

/// A change in the network of beacons.
package struct InventoryEvent: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case missing
        /// Heard again after it was missing.
        case found
        /// A beacon with a UUID of the registry, and without a row.
        case unregistered
        case clone, moved, battery, interval
    }

    package let kind: Kind
    /// `UUID/MAJOR/MINOR`.
    package let item: String
    package let at: UnixTime
    /// The end of the second that decided.
    package let decidedAt: UnixTime
    package let evidence: BeaconEvidence
}
