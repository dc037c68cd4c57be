import Posix
import Primitives
import Sightings

/// The difference between UTC and the boot clock, constant between steps. Windows and messages use it.
///
/// The kernel slews both clocks alike, so that the difference changes only when the wall clock is set.
package struct WallClock: Sendable {
    /// Converts instants of the boot clock to wall time, with the state of the clock at the latest reading.
    package private(set) var stamp: Stamp
    /// How often it was set.
    package private(set) var steps = 0

    /// The precision of a comparison of two clocks.
    private static let resolution: Duration = .milliseconds(1)

    /// - Parameter offset: from the boot clock to UTC.
    package init(offset: Duration, isSynchronised: Bool) {
        stamp = Stamp(offset: offset, clock: isSynchronised ? .synced : .unsynced)
    }

    /// From the boot clock to UTC.
    package var offset: Duration { stamp.offset }

    /// Whether the wall clock was synchronised at the latest reading.
    package var isSynchronised: Bool { stamp.clock == .synced }

    /// Reads the machine's clocks.
    package static func read() -> WallClock {
        WallClock(offset: Clocks.wallMinusBoot, isSynchronised: Clocks.isWallClockSynchronised)
    }

    /// Takes over a later reading.
    ///
    /// - Returns: whether the clock was set in between.
    package mutating func update(_ later: WallClock) -> Bool {
        let step = later.offset - offset
        guard max(step, .zero - step) >= Self.resolution else {
            stamp = Stamp(offset: offset, clock: later.stamp.clock)
            return false
        }
        stamp = later.stamp
        steps += 1
        return true
    }
}
