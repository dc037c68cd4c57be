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

        package init(id: String, place: Point, gainDb: Double = 0) {
            self.id = id
            self.place = place
            self.gainDb = gainDb
        }
    }

    /// Beacons that stay where they are, in rows; `count` of 1 is just one.
    package struct FixedBeacons: Equatable, Sendable {
        package var major: UInt16
        package var firstMinor: UInt16
        package var count = 1
        package var place: Point
        package var columns = 1
        package var spacing = 1.0

        package init(major: UInt16, firstMinor: UInt16, count: Int = 1, place: Point) {
            self.major = major
            self.firstMinor = firstMinor
            self.count = count
            self.place = place
        }

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

        package init(count: Int, corner: Point, opposite: Point) {
            self.count = count
            self.corner = corner
            self.opposite = opposite
        }
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
