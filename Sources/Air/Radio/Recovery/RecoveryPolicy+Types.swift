import Primitives

/// The inputs and outputs of a recovery policy.
extension RecoveryPolicy {
    package enum Event: Equatable, Sendable {
        case scanStarted
        case reportReceived
        case probeAnswered
        case probeTimedOut
        /// The radio had to be closed, or opening it failed. No step helps if the adapter is missing, in use, or forbidden.
        case failed(isRecoverable: Bool)
        /// The process has no permission for the step. The policy takes the next one, and never this one again.
        case stepNotPermitted(RecoveryStep)
        /// The process runs again after a stall. The silence before it is no evidence.
        case resumed
        /// The list of reference beacons has changed.
        case referencesChanged(isEmpty: Bool)
    }

    package enum Action: Equatable, Sendable {
        /// Send the controller a command that it must answer.
        case probe
        case apply(RecoveryStep)
        /// No step has helped: wait.
        case rest(until: Instant)
        /// The fault is over, due to the last step; `nil` if no step preceded.
        case recovered(by: RecoveryStep?)
    }

    /// How often the policy took each step.
    package struct Counts: Equatable, BitwiseCopyable, Sendable {
        package var probes = 0
        package var rescans = 0
        package var powerCycles = 0
        package var resets = 0
        package var gaveUp = 0

        package init() {}

        subscript(step: RecoveryStep) -> Int {
            get {
                switch step {
                case .rescan: rescans
                case .powerCycle: powerCycles
                case .reset: resets
                }
            }
            set {
                switch step {
                case .rescan: rescans = newValue
                case .powerCycle: powerCycles = newValue
                case .reset: resets = newValue
                }
            }
        }
    }

    /// The latest reports.
    package struct Heard: Equatable, Sendable {
        /// The time of the latest report.
        package var report: Instant?
        /// When the reference with the longest silence was last heard. `nil` until all references were heard once.
        package var references: Instant?

        package init(report: Instant? = nil, references: Instant? = nil) {
            self.report = report
            self.references = references
        }
    }
}

/// A measure against a silent or failed radio, the mildest first.
package enum RecoveryStep: Int, CaseIterable, Comparable, Sendable {
    /// Switches the scan off and on. A shared radio that is closed is opened again, with the same effect.
    case rescan
    /// Brings a shared adapter down and up.
    case powerCycle
    /// Opens an exclusive controller again, which resets it.
    case reset

    package static func < (left: RecoveryStep, right: RecoveryStep) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Whether reports came steadily, so that a sudden silence is suspicious.
struct BusyPeriod: Sendable {
    /// A longer pause between two reports begins a new period.
    static let longestPause: Duration = .seconds(5)
    /// A shorter period may be one passer-by.
    static let shortest: Duration = .seconds(5)

    private var begun: Instant?
    private var latest: Instant?

    /// - Parameter report: the time of the latest report.
    @inline(__always)
    mutating func record(_ report: Instant?) {
        guard let report, report != latest else { return }
        if latest.map({ $0 + Self.longestPause < report }) ?? true { begun = report }
        latest = report
    }

    /// - Parameter start: the earliest start of the period.
    func lasts(_ duration: Duration = shortest, since start: Instant? = nil) -> Bool {
        guard let begun, let latest else { return false }
        return begun + duration <= latest && start.map { $0 < begun } ?? true
    }
}
