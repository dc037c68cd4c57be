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
