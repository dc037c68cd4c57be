import Beacons
import Primitives

/// The contents of a scenario file: a place, its gateways and beacons, its visitors, and
/// misbehaviours of the controllers.
///
/// Lengths are metres, times as their names say.
package struct Scenario: Equatable, Sendable {
    /// The same seed, the same world.
    package var seed: UInt64 = 1
    /// Milliseconds since the Unix epoch at which the world's timeline has its zero.
    package var epochMs: Int64 = 0
    /// The organisation's number, which all of the scenario's beacons bear.
    package var uuid: ProximityUUID
    /// All beacons' calibrated power, in dBm at one metre.
    package var measuredPower: Int8 = -59
    /// From one advertisement to the next, without the random delay.
    package var advertisingIntervalMs: Int64 = 100
    package var radio = Radio()
    package var gateways: [Gateway] = []
    package var beacons: [FixedBeacons] = []
    package var people: People?
    package var staff: [Staff] = []
    package var noise: Noise?
    package var faults: [Misbehaviour] = []

    package init(uuid: ProximityUUID) { self.uuid = uuid }

    /// A place to listen from.
    package struct Gateway: Equatable, Sendable {
        package let id: String
        package let place: Point
        /// What this receiver adds to every RSSI; two of the same make differ by up to 9 dB.
        package var gainDb = 0.0
    }

    /// Beacons that stay where they are, in rows; `count` of 1 is just one.
    package struct FixedBeacons: Equatable, Sendable {
        package var major: UInt16
        package var firstMinor: UInt16
        package var count = 1
        package var place: Point
        package var columns = 1
        package var spacing = 1.0
        /// When they stop, on the timeline; `nil` for never.
        package var end: Instant?

        /// Where beacon number `index` of these is.
        func place(of index: Int) -> Point {
            Point(
                x: place.x + Double(index % max(1, columns)) * spacing,
                y: place.y + Double(index / max(1, columns)) * spacing)
        }
    }

    /// Advertisers that are no iBeacons: passers-by's phones and the like, whose addresses change.
    package struct Noise: Equatable, Sendable {
        package var count: Int
        /// Two opposite corners of the rectangle in which they are.
        package var corners: (Point, Point) { (corner, opposite) }
        package var corner: Point
        package var opposite: Point
    }

    /// The beacons' interval times `factor`.
    func advertisingInterval(times factor: Double) -> Duration {
        Duration.milliseconds(advertisingIntervalMs).share(factor)
    }

    /// The wall clock's time at the zero of the world's timeline.
    var epoch: Instant { Instant(microseconds: epochMs * 1000) }

    /// The world's time when the wall clock has `wall`.
    package func worldTime(at wall: Instant) -> Instant {
        Instant(microseconds: wall.microseconds(since: epoch))
    }

    /// The wall clock's time at a time of the world.
    func wallTime(at time: Instant) -> Instant {
        time.advanced(byMicroseconds: epoch.microseconds)
    }

    /// The gateway with this id.
    package func gateway(_ id: String) -> Gateway? { gateways.first { $0.id == id } }
}

extension Scenario {
    /// How the place treats radio signals. Decibels are standard deviations.
    package struct Radio: Equatable, Sendable {
        /// 2 in the open, 1.1 to 2.5 indoors.
        package var pathLossExponent = 2.0
        /// Each gateway's exponent lies at most so far above or below, uniformly distributed.
        package var pathLossSpread = 0.0
        /// An offset of each gateway, beyond its `gainDb`.
        package var gatewayDb = 0.0
        /// An offset of each tag.
        package var tagDb = 0.0
        /// Each tag's interval is at most so much longer or shorter, uniformly distributed.
        package var tagIntervalPercent = 0.0
        package var shadowing = Shadowing()
        /// Reflections: the same for a person who stands, others after `multipathMetres`.
        package var multipathDb = 0.0
        package var multipathMetres = 0.06
        /// The side on which the tag is worn: a person turns after 7 m of walking, or 50 s.
        package var sideDb = 0.0
        /// People in the way: about 4 s of 16 s.
        package var bodyDb = 0.0
        /// What changes from packet to packet.
        package var fadingDb = 0.0
        /// Where half the packets are lost; `nil` for a receiver that hears everything.
        package var sensitivityDbm: Double?
        /// Packets lost whatever their strength.
        package var lossPercent = 0.0
        /// Whether packets that overlap in time are lost, except one that is much stronger.
        package var collisions = false

        package init() {}
    }

    /// What changes slowly: shelves and people.
    package struct Shadowing: Equatable, Sendable {
        package var db = 0.0
        /// How long a shadow lasts for a person who stands.
        package var seconds = 5.0
        /// How far a shadow reaches for a person who walks; `nil` if walking changes nothing.
        package var metres: Double?
    }
}
