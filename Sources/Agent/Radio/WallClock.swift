import Posix
import Sightings

/// What the boot clock lacks to UTC, held fast between steps: windows line up by it, and messages are stamped with it.
///
/// Both clocks are slewed alike, so that the difference changes only when somebody sets the wall clock.
package struct WallClock: Sendable {
    /// Microseconds to add to an instant of the boot clock.
    package private(set) var offset: Int64
    /// Whether the wall clock was disciplined when it was last looked at.
    package private(set) var isSynchronised: Bool
    /// How often it has been set.
    package private(set) var steps = 0

    /// Less than this, in microseconds, is how finely two clocks can be compared.
    private static let resolution: Int64 = 1000

    package init(offset: Int64, isSynchronised: Bool) {
        self.offset = offset
        self.isSynchronised = isSynchronised
    }

    /// What turns instants of the boot clock into wall time.
    package var stamp: Stamp {
        Stamp(offset: offset, clock: isSynchronised ? .synced : .unsynced)
    }

    /// Looks at the machine's clocks.
    package static func read() -> WallClock {
        WallClock(offset: Clocks.wallMinusBoot, isSynchronised: Clocks.isWallClockSynchronised)
    }

    /// Takes in a later look; `true` if the clock was set meanwhile.
    package mutating func observe(_ later: WallClock) -> Bool {
        isSynchronised = later.isSynchronised
        guard abs(later.offset - offset) >= Self.resolution else { return false }
        offset = later.offset
        steps += 1
        return true
    }
}
