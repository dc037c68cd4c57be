import Beacons
import Primitives

/// One beacon, heard by one gateway in one stretch of time.
///
/// Sightings of one identity in adjacent stretches merge into exactly what one pass over both would have given.
package struct Sighting: Equatable, Sendable {
    package let identity: BeaconIdentity
    /// The calibrated power at one metre, in dBm, as last advertised.
    package private(set) var measuredPower: Int8
    /// Whether another sender advertises the hearing gateway's own identity.
    package internal(set) var isEcho = false
    /// Advertising reports, with an RSSI or without.
    package private(set) var count: Int
    package private(set) var firstSeen: Instant
    package private(set) var lastSeen: Instant
    /// Distinct advertiser addresses behind the identity; of a merge, the largest.
    package internal(set) var senders: Int
    package private(set) var signal: SignalStatistics
    /// The latest that its sender told.
    package var telemetry: Eddystone.Telemetry?

    /// The sighting that a first report makes.
    @inline(__always)
    package init(of frame: BeaconFrame, rssi: RSSI, at instant: Instant) {
        identity = frame.identity
        measuredPower = frame.power
        count = 0
        firstSeen = instant
        lastSeen = instant
        senders = 1
        signal = SignalStatistics()
        add(rssi, measuredPower: frame.power, at: instant)
    }

    /// A sighting from its stored members.
    package init(
        identity: BeaconIdentity, measuredPower: Int8, isEcho: Bool, count: Int, firstSeen: Instant,
        lastSeen: Instant, senders: Int, signal: SignalStatistics,
        telemetry: Eddystone.Telemetry? = nil
    ) {
        self.identity = identity
        self.measuredPower = measuredPower
        self.isEcho = isEcho
        self.count = count
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.senders = senders
        self.signal = signal
        self.telemetry = telemetry
    }

    /// Counts one more report of the same identity.
    @inline(__always)
    package mutating func add(_ rssi: RSSI, measuredPower: Int8, at instant: Instant) {
        count += 1
        lastSeen = instant
        self.measuredPower = measuredPower
        if rssi.isAvailable { signal.add(rssi, at: instant) }
    }

    /// Appends the sighting of the same identity in the stretch of time that follows.
    package mutating func merge(_ later: Sighting) {
        measuredPower = later.measuredPower
        isEcho = isEcho || later.isEcho
        count += later.count
        lastSeen = later.lastSeen
        senders = max(senders, later.senders)
        signal.merge(later.signal)
        telemetry = later.telemetry ?? telemetry
    }
}
