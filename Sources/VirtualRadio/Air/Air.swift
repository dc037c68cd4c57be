import Beacons
import Primitives

/// The advertisements that several stations transmit, or transmitted a moment ago.
///
/// A value without a clock, like the stations. Its owner passes each station's advertisements to
/// `put`. Times are on one timeline of all stations.
package struct Air: Equatable, Sendable {
    private(set) var transmissions: [Transmission] = []

    private enum Memory {
        /// How long what has ended can still be heard by a station that comes late; none comes later
        /// than the two seconds that a connection makes up for.
        static let time: Duration = .seconds(5)
        /// The limit of remembered transmissions that have ended. No host retunes that often.
        static let room = 1024
    }

    package init() {}

    /// Sets the station's advertisements from `time` on.
    ///
    /// An unchanged advertisement, or one with new data only, keeps its schedule, as on real
    /// controllers.
    package mutating func put(
        _ advertised: [OnAir], by gateway: Scenario.Gateway, at time: Instant
    ) {
        forget(before: time - Memory.time)
        var origins: [UInt8?: (interval: Duration, origin: Instant)] = [:]
        var staying: [OnAir] = []
        for (index, old) in transmissions.enumerated()
        where old.gateway.id == gateway.id && old.end == nil {
            if advertised.contains(old.onAir) {
                staying.append(old.onAir)
            } else {
                transmissions[index].end = time
                origins[old.onAir.handle] = (old.interval, old.origin)
            }
        }
        for onAir in advertised where !staying.contains(onAir) {
            var new = Transmission(onAir, by: gateway, origin: time, start: time)
            if let old = origins[onAir.handle], old.interval == new?.interval {
                new = Transmission(onAir, by: gateway, origin: old.origin, start: time)
            }
            if let new { transmissions.append(new) }
        }
    }

    private mutating func forget(before time: Instant) {
        transmissions.removeAll { $0.end.map { $0 < time } ?? false }
        var surplus = transmissions.count - Memory.room
        transmissions.removeAll { transmission in
            guard surplus > 0, transmission.end != nil else { return false }
            surplus -= 1
            return true
        }
    }
}
