import Beacon
import Sighting

/// How the radio has fared since the agent's start.
package struct RadioHealth: Equatable, Sendable {
    /// Everything that windows have counted.
    package var counts = RadioCounts()
    /// When the latest report came; `nil` when none has.
    package var lastReport: Instant?
    /// How often the radio had to be opened again.
    package var restarts = 0
    /// How often somebody else has changed its scan.
    package var interferences = 0
    package var isHearing = false
    /// How often the wall clock was set.
    package var clockSteps = 0
    package var isClockSynchronised = false

    package init() {}
}
