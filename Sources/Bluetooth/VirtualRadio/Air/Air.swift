import Beacons

/// What several stations have on the air, and had a moment ago: how they hear each other.
///
/// A value without a clock, like the stations: whoever has them share it brings what one `puts` to the others. Times are
/// microseconds on one timeline, which must be that of all these stations.
package struct Air: Equatable, Sendable {
    private(set) var transmissions: [Transmission] = []

    private enum Memory {
        /// How long what has ended can still be heard by a station that comes late, in microseconds; none comes later
        /// than the two seconds that a connection makes up for.
        static let time: Int64 = 5_000_000
        /// What has ended is also forgotten beyond this number; no host retunes that often.
        static let room = 1024
    }

    package init() {}

    /// From `time` on the station has this on the air, and nothing else.
    ///
    /// What is on and stays, or only changes its data, keeps its beat, as with real controllers.
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
