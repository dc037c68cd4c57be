import Beacons

/// The advertisements that several stations transmit, or transmitted a moment ago.
///
/// A value without a clock, like the stations. Its owner passes each station's advertisements to
/// `put`. Times are microseconds on one timeline of all stations.
package struct Air: Equatable, Sendable {
    private(set) var transmissions: [Transmission] = []

    private enum Memory {
        /// How long what has ended can still be heard by a station that comes late, in microseconds; none comes later
        /// than the two seconds that a connection makes up for.
        static let time: Int64 = 5_000_000
        /// The limit of remembered transmissions that have ended. No host retunes that often.
        static let room = 1024
    }

    package init() {}

    /// Sets the station's advertisements from `time` on.
    ///
    /// An unchanged advertisement, or one with new data only, keeps its schedule, as on real
    /// controllers.
    package mutating func put(
        _ advertised: [OnAir], by gateway: Scenario.Gateway, at time: Int64
    ) {
        forget(before: time &- Memory.time)
        var origins: [UInt8?: (interval: Int64, origin: Int64)] = [:]
        var staying: [OnAir] = []
        for (index, old) in transmissions.enumerated()
        where old.gateway.id == gateway.id && old.end == .max {
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

    private mutating func forget(before time: Int64) {
        transmissions.removeAll { $0.end < time }
        var surplus = transmissions.count - Memory.room
        transmissions.removeAll { transmission in
            guard surplus > 0, transmission.end != .max else { return false }
            surplus -= 1
            return true
        }
    }
}
