/// The kind of a beacon's carrier.
package enum TagKind: String, CaseIterable, Sendable {
    case visitor
    case staff
    /// A beacon that stays: on a shelf, or left at the till.
    case fixed
    /// A gateway's own advertisement.
    case gateway
    /// Several devices send the identity together: a clone, or beacons without provisioning.
    case clone
    /// An identity that no range of the configuration covers.
    case other
}
