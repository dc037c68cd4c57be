import Beacons
import Primitives
import Radio

/// Collects the actions of a recovery policy, and knows what else a silent radio may need.
struct RadioRecovery {
    enum Action {
        /// Set the controller's event masks: another program may have reset it before the agent opened it.
        case unmaskEvents
        case policy(RecoveryPolicy.Action)
    }

    /// Whether a shared controller sends events. A reset clears the event masks, which no command reads.
    private enum EventMask {
        case confirmed
        /// The open radio has sent no report yet.
        case unconfirmed
        /// The radio has answered a probe, but has sent no report.
        case mustBeSet
    }

    private let settings: RecoverySettings
    private(set) var references: [BeaconIdentity]
    private var policy: RecoveryPolicy
    private var actions: [RecoveryPolicy.Action] = []
    private var eventMask = EventMask.confirmed
    /// Whether a failed power cycle may have left the adapter down.
    private var mayHaveLeftDown = false

    init(_ settings: RecoverySettings) {
        self.settings = settings
        references = settings.references
        policy = RecoveryPolicy(
            isShared: settings.isShared, expectsReferences: !settings.references.isEmpty,
            seed: settings.seed)
    }

    var counts: RecoveryPolicy.Counts { policy.counts }

    var isRecovering: Bool { policy.isRecovering }

    /// Whether the scan is known to deliver nothing.
    var isSilent: Bool { policy.isSilent }

    /// Whether no report has come for a while.
    var isQuiet: Bool { policy.isQuiet }

    /// Whether the next report changes the state.
    var awaitsReport: Bool { policy.isSilent || eventMask == .unconfirmed }

    func deadline(_ heard: RecoveryPolicy.Heard) -> Instant? { policy.deadline(heard) }

    mutating func on(_ event: RecoveryPolicy.Event, at now: Instant) {
        switch event {
        case .scanStarted: mayHaveLeftDown = false
        case .reportReceived: if eventMask == .unconfirmed { eventMask = .confirmed }
        case .probeAnswered: if eventMask == .unconfirmed { eventMask = .mustBeSet }
        case .probeTimedOut, .failed, .stepNotPermitted, .resumed, .referencesChanged: break
        }
        if let action = policy.on(event, at: now) { actions.append(action) }
    }

    /// The radio could not be opened, or had to be closed.
    mutating func on(_ failure: RadioFailure, at now: Instant) {
        // If the agent left the adapter down, a step may help. Otherwise the operator took it down.
        let isOwnFault = failure.kind == .down && mayHaveLeftDown
        on(.failed(isRecoverable: failure.isRecoverable || isOwnFault), at: now)
    }

    /// The radio was opened.
    mutating func opened() { eventMask = settings.isShared ? .unconfirmed : .confirmed }

    mutating func setReferences(_ references: [BeaconIdentity], at now: Instant) {
        self.references = references
        on(.referencesChanged(isEmpty: references.isEmpty), at: now)
    }

    func startPowerCycle() -> (any PowerCycle)? { settings.powerCycle() }

    /// The kernel could not bring the adapter up.
    mutating func powerCycleFailed() { mayHaveLeftDown = true }

    mutating func tick(at now: Instant, _ heard: RecoveryPolicy.Heard) {
        if let action = policy.tick(at: now, heard) { actions.append(action) }
    }

    /// The next action; `nil` if there is none.
    mutating func next() -> Action? {
        if eventMask == .mustBeSet {
            eventMask = .confirmed
            return .unmaskEvents
        }
        return actions.isEmpty ? nil : .policy(actions.removeFirst())
    }
}
