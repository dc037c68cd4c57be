import Beacons
import Contract
import Primitives
import Sightings
import Subscriber

/// Messages and advertisements to test with; all addresses are made up.
package enum Samples {
    package static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    package static let entry = GatewayName(site: "store-042", id: "entry-1")
    package static let till = GatewayName(site: "store-042", id: "till-1")
    /// 2026-05-28T20:26:40Z.
    package static let start: UnixTime = 1_780_000_000_000

    package static func identity(_ minor: UInt16, uuid: String = uuid) -> BeaconIdentity {
        BeaconIdentity(
            uuid: ProximityUUID(uuid) ?? ProximityUUID(high: 0, low: 0), major: 42, minor: minor)
    }

    package static func sighting(
        _ minor: UInt16, mean: Double = -64.2, max: Int8? = -58, count: Int = 10,
        senders: Int = 1, isEcho: Bool = false, lastSeen: Int64 = 1000, uuid: String = uuid
    ) -> SightingMessage {
        SightingMessage(
            identity: identity(minor, uuid: uuid), measuredPower: -59, count: count,
            signal: max.map {
                SightingMessage.Signal(
                    min: -80, max: $0, mean: mean, standardDeviation: 3, last: -66,
                    powerMean: mean, centroid: 431, maxAt: 340)
            }, firstSeen: 12, lastSeen: lastSeen, senders: senders,
            isEcho: isEcho)
    }

    /// The window of second `second`.
    package static func batch(
        _ seq: UInt64, second: Int64 = 0, session: String = "a", clock: ClockState = .synced,
        reports: Int = 412, dropped: Int = 0, state: RadioState = .hearing, lost: Loss? = nil,
        _ sightings: [SightingMessage] = []
    ) -> SightingsMessage {
        var counts = RadioCounts()
        counts.reports = reports
        counts.beacons = sightings.reduce(0) { $0 + $1.count }
        counts.dropped = dropped
        return SightingsMessage(
            site: "store-042", gateway: "entry-1", session: session, seq: seq,
            windowStart: start + .seconds(second), windowEnd: start + .seconds(second + 1),
            clock: clock, radio: counts, state: state, lost: lost, sightings: sightings)
    }

    package static func status(
        _ state: StatusMessage.State, session: String = "a", clock: ClockState = .synced
    ) -> StatusMessage {
        StatusMessage(state: state, session: session, at: start, version: "0.1.0", clock: clock)
    }

    /// The moment `seconds` after the watcher's start.
    package static func at(_ seconds: Double) -> Instant {
        Instant(microseconds: Int64(seconds * 1_000_000))
    }

    /// The watcher's wall clock when the window of second `second` has just ended.
    package static func wall(_ second: Int64) -> UnixTime { start + .seconds(second + 1) }
}
