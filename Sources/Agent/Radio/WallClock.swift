import Posix
import Sightings

/// The difference between UTC and the boot clock, constant between steps. Windows and messages use it.
///
/// The kernel slews both clocks alike, so that the difference changes only when the wall clock is set.
package struct WallClock: Sendable {
    /// Microseconds from the boot clock to UTC.
    package private(set) var offset: Int64
    /// Whether the wall clock was synchronised at the latest reading.
    package private(set) var isSynchronised: Bool
    /// How often it was set.
    package private(set) var steps = 0

    /// The precision of a comparison of two clocks, in microseconds.
    private static let resolution: Int64 = 1000

    package init(offset: Int64, isSynchronised: Bool) {
        self.offset = offset
        self.isSynchronised = isSynchronised
    }

    /// Converts instants of the boot clock to wall time.
    package var stamp: Stamp {
        Stamp(offset: offset, clock: isSynchronised ? .synced : .unsynced)
    }

    /// Reads the machine's clocks.
    package static func read() -> WallClock {
        WallClock(offset: Clocks.wallMinusBoot, isSynchronised: Clocks.isWallClockSynchronised)
    }

    /// Takes over a later reading.
    ///
    /// - Returns: whether the clock was set in between.
    package mutating func update(_ later: WallClock) -> Bool {
        isSynchronised = later.isSynchronised
        guard abs(later.offset - offset) >= Self.resolution else { return false }
        offset = later.offset
        steps += 1
        return true
    }
}
