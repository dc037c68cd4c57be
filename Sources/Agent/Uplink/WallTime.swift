import Contract
import Posix
import Sightings

/// A reading of the wall clock. It labels messages; it never orders them.
struct WallTime: Equatable, Sendable {
    /// Since the Unix epoch.
    let milliseconds: Int64
    let clock: ClockState

    /// The milliseconds, or `nil` if the clock is not synchronised.
    var synchronised: Int64? { clock == .synced ? milliseconds : nil }

    static func now(_ clock: ClockState) -> WallTime {
        WallTime(milliseconds: Clocks.wall.milliseconds, clock: clock)
    }
}
