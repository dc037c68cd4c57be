import Beacons
import Primitives

/// Numbers for all that sends, by which its random numbers are drawn.
enum Entity {
    private static let beacon: UInt64 = 1 << 60
    private static let visitor: UInt64 = 2 << 60
    private static let noise: UInt64 = 3 << 60
    private static let advertisement: UInt64 = 4 << 60

    private static let passerBy: UInt64 = 5 << 60
    private static let staff: UInt64 = 6 << 60
    private static let tag: UInt64 = 7 << 60

    static func beacon(group: Int, index: Int) -> UInt64 {
        beacon | UInt64(truncatingIfNeeded: group) << 32 | UInt64(truncatingIfNeeded: index)
    }

    static func visitor(minute: Int64, index: Int) -> UInt64 {
        visitor | turn(minute, index)
    }

    static func passerBy(minute: Int64, index: Int) -> UInt64 { passerBy | turn(minute, index) }

    private static func turn(_ minute: Int64, _ index: Int) -> UInt64 {
        let minutes = UInt64(bitPattern: minute) & 0xffff_ffff_ffff
        return minutes << 12 | UInt64(truncatingIfNeeded: index) & 0xfff
    }

    static func staff(group: Int, index: Int) -> UInt64 {
        staff | UInt64(truncatingIfNeeded: group) << 32 | UInt64(truncatingIfNeeded: index)
    }

    /// Which of `count` things that are used in turn is used at turn `number`.
    static func turn(_ number: Int64, of count: Int) -> UInt16 {
        let count = Int64(max(1, count))
        return UInt16(truncatingIfNeeded: number - number.flooredDivision(by: count) * count)
    }

    /// A tag that several people carry in turn.
    static func tag(major: UInt16, minor: UInt16) -> UInt64 {
        tag | UInt64(major) << 16 | UInt64(minor)
    }

    /// What a gateway's controller advertises, in a set or (`nil`) by the legacy commands.
    static func advertisement(of gateway: String, handle: UInt8?) -> UInt64 {
        let number = SplitMix64.mix(
            SeededRandom.number(of: gateway) &+ UInt64(handle.map { $0 } ?? 0xff))
        return advertisement | number & (1 << 60 - 1)
    }

    static func noise(_ index: Int) -> UInt64 { noise | UInt64(truncatingIfNeeded: index) }
}

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

/// A place on the floor, in metres.
package struct Point: Equatable, Sendable {
    package let x: Double
    package let y: Double

    package func distance(to other: Point) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }

    /// The point that lies `metres` from here on the way to `other`; beyond it, when that is nearer.
    package func towards(_ other: Point, by metres: Double) -> Point {
        let whole = distance(to: other)
        guard whole > 0 else { return self }
        let share = metres / whole
        return Point(x: x + (other.x - x) * share, y: y + (other.y - y) * share)
    }

    /// The point at `share` (0 to 1) of the way to `other`.
    package func between(_ other: Point, _ share: Double) -> Point {
        Point(x: x + (other.x - x) * share, y: y + (other.y - y) * share)
    }
}
