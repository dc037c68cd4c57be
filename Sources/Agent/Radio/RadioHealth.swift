import Primitives
import Radio
import Sightings

/// How the radio has fared since the agent's start.
package struct RadioHealth: Equatable, Sendable {
    /// Everything that windows have counted.
    package var counts = RadioCounts()
    /// When the latest report came; `nil` when none has.
    package var lastReport: Instant?
    /// How often the radio had to be opened again.
    package var restarts = 0
    /// How often somebody else has changed its scan or its advertising.
    package var interferences = 0
    /// What was done about it when it was silent or failed.
    package var steps = RecoveryPolicy.Counts()
    package var isHearing = false
    /// Whether the first attempt at the radio is over, and whether or not it hears is known.
    package var isSettled = false
    /// Whether it is deaf, or something is known to be wrong with it.
    package var isDegraded = false
    /// How often the wall clock was set.
    package var clockSteps = 0
    package var isClockSynchronised = false

    package init() {}
}
