import Contract
import Primitives
import Subscriber

/// The periods in which a gateway's radio works and hears no beacon.
///
/// Lines at their beginning and end distinguish a store without beacons from a gateway that does not work.
struct IdlePeriods {
    /// From the start of the first window to the end of the last.
    private var periods: [GatewayName: (start: UnixTime, end: UnixTime)] = [:]

    /// - Returns: the text after the gateway's name; `nil` without a change.
    mutating func on(_ message: SightingsMessage, of gateway: GatewayName) -> String? {
        let period = periods[gateway]
        // Old windows of a backlog, and later parts of a window.
        if let period, message.windowStart < period.end { return nil }
        if message.sightings.isEmpty, message.state == .hearing {
            periods[gateway] = (period?.start ?? message.windowStart, message.windowEnd)
            return period == nil ? "hears no beacon" : nil
        }
        guard let period else { return nil }
        periods[gateway] = nil
        return "heard no beacon from \(Self.clock(period.start)) to \(Self.clock(period.end))"
    }

    /// Ends the period of a gateway without a line: it is removed, or offline.
    mutating func forget(_ gateway: GatewayName) { periods[gateway] = nil }

    /// Ends all periods without a line: the connection is lost.
    mutating func interrupt() { periods = [:] }

    private static func clock(_ time: UnixTime) -> String {
        UTCTime(time).clock
    }
}
