import Primitives
import Radio
import Sightings

/// The state of the radio, and its counters since the agent's start.
///
/// It crosses to the uplink's process as its memory: both processes run the same program file.
package struct RadioHealth: Equatable, BitwiseCopyable, Sendable {
    /// The sum of the counters of all windows.
    package var counts = RadioCounts()
    package var eddystone = EddystoneCounts()
    /// The time of the latest report.
    package var lastReport: Instant?
    /// How often the agent had to open the radio again.
    package var restarts = 0
    /// How often other programs have changed the gateway's scan or advertising.
    package var interferences = 0
    /// The recovery steps taken.
    package var steps = RecoveryPolicy.Counts()
    /// The share of the time in which the radio listens; `nil` until it was opened.
    package var scanDutyPercent: Int?
    /// Whether the controller has no public address; `nil` until it was asked.
    package var usesRandomAddress: Bool?
    package var isHearing = false
    /// Whether the first attempt to scan has ended.
    package var isSettled = false
    /// Whether the radio is deaf or faulty.
    package var isDegraded = false
    /// How often the wall clock was set.
    package var clockSteps = 0
    package var isClockSynchronised = false

    package init() {}
}
