import Primitives

/// What goes into a policy, and what comes out.
extension RecoveryPolicy {
    package enum Action: Equatable, Sendable {
        /// Ask the controller whether it is there.
        case probe
        case apply(RecoveryStep)
        /// Nothing has helped.
        case rest(until: Instant)
        /// All is well again, by the last remedy or (`nil`) by itself.
        case recovered(by: RecoveryStep?)
    }

    /// How often each step was taken.
    package struct Counts: Equatable, Sendable {
        package var probes = 0
        package var rescans = 0
        package var powerCycles = 0
        package var resets = 0
        package var gaveUp = 0

        package init() {}
    }

    /// What has been heard so far.
    package struct Heard: Equatable, Sendable {
        /// When the latest report came.
        package var report: Instant?
        /// When the reference that has been silent for longest was heard last; `nil` while one has never been.
        package var references: Instant?

        package init(report: Instant? = nil, references: Instant? = nil) {
            self.report = report
            self.references = references
        }
    }
}
