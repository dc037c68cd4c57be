import Beacons
import Primitives

/// Somebody in the place, with the beacons that the person carries one after the other.
struct Person: Sendable {
    enum Role: String, Sendable {
        case visitor
        case passerBy
        case staff
    }

    let role: Role
    let visit: ShopVisit
    /// None for a person without a tag; several for a phone that changes its identity.
    let tags: [SimulatedBeacon]

    /// The name in the truth, unlike anybody else's.
    var name: String { "\(role.rawValue)-" + String(visit.entity & Self.numberMask, radix: 36) }

    /// An entity without its kind.
    private static let numberMask: UInt64 = 1 << 60 - 1

    /// The identity that the person's tag sends at `time`.
    func identity(at time: Instant) -> BeaconIdentity? {
        tags.first { $0.span.contains(time) }?.identity
    }
}
