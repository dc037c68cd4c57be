import Contract
import Posix
import Primitives
import Sightings

/// A reading of the wall clock. It labels messages; it never orders them.
struct WallTime: Equatable, Sendable {
    let time: UnixTime
    let clock: ClockState

    /// The time, or `nil` if the clock is not synchronised.
    var synchronised: UnixTime? { clock == .synced ? time : nil }

    static func now(_ clock: ClockState) -> WallTime {
        WallTime(time: .now, clock: clock)
    }
}
