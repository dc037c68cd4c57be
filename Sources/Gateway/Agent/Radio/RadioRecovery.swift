import Beacons
import Configuration
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
    /// Whether the process may switch the adapter's power.
    private var mayPowerOn = true
    /// Whether the latest power cycle only switches the adapter on.
    private(set) var isPoweringOn = false
    /// Whether the radio could not be opened because its adapter is down.
    private var isDown = false
    private var faultTimer: FaultTimer

    init(_ settings: RecoverySettings) {
        self.settings = settings
        references = settings.references
        faultTimer = FaultTimer(limit: settings.exitAfter)
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

    /// Why a step is taken, for the log.
    func cause(isOpen: Bool) -> String {
        guard isOpen else { return "radio failed" }
        if isSilent { return "radio is silent" }
        return isRecovering ? "a reference beacon is missing" : "no reports after many"
    }

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
        isDown = failure.kind == .down
        // The notices about an adapter that the agent itself has opened and closed.
        if !isDown, failure.kind != .noSuchAdapter { _ = takeArrival() }
        // If the agent left the adapter down, a step may help. Otherwise the operator took it down.
        let isOwnFault = failure.kind == .down && mayHaveLeftDown
        on(.failed(isRecoverable: failure.isRecoverable || isOwnFault), at: now)
    }

    /// The radio was opened.
    mutating func opened() {
        isDown = false
        eventMask = settings.isShared ? .unconfirmed : .confirmed
        // Opening an exclusive adapter brings it up.
        _ = takeArrival()
    }

    mutating func setReferences(_ references: [BeaconIdentity], at now: Instant) {
        self.references = references
        on(.referencesChanged(isEmpty: references.isEmpty), at: now)
    }

    mutating func startPowerCycle() -> (any PowerCycle)? {
        isPoweringOn = false
        return settings.powerCycle()
    }

    /// Starts to switch on an adapter that is down, if the agent may.
    mutating func startPowerOn() -> (any PowerCycle)? {
        guard isDown, settings.powersOn, mayPowerOn else { return nil }
        // Once for each failed attempt to open the radio.
        isDown = false
        isPoweringOn = true
        return settings.powerOn()
    }

    mutating func powerNotPermitted(at now: Instant) {
        mayPowerOn = false
        on(.stepNotPermitted(.powerCycle), at: now)
    }

    /// Becomes readable when an adapter appears; `nil` if the source is none.
    var arrivals: CInt? { settings.arrivals?.descriptor }

    /// Whether an adapter has appeared or come up since the last call.
    func takeArrival() -> Bool { settings.arrivals?.take() ?? false }

    mutating func observe(isFaulty: Bool, at now: Instant) {
        faultTimer.on(isFaulty: isFaulty, at: now)
    }

    /// When the agent ends unless the radio recovers.
    var exitDeadline: Instant? { faultTimer.deadline }

    /// Whether no step has recovered the radio for as long as the configuration allows.
    var hasFailed: Bool { faultTimer.isOver }

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

/// How to detect and recover a faulty radio.
package struct RecoverySettings {
    /// Beacons that must always be heard.
    package var references: [BeaconIdentity]
    /// Whether the kernel shares the adapter.
    package var isShared: Bool
    /// The seed of the random part of the rests.
    package var seed: UInt64
    /// Starts a power cycle of the adapter; `nil` if the source has none.
    package var powerCycle: () -> (any PowerCycle)?

    /// Starts to switch an adapter on that is down, if the configuration allows that; `nil` if the source has none.
    package var powerOn: () -> (any PowerCycle)?
    /// Reports adapters that appear; `nil` if the source is none.
    package var arrivals: (any AdapterArrivals)?
    private let radio: RadioSettings

    /// Whether the agent may switch an adapter on that is down.
    var powersOn: Bool { radio.powersOn }
    /// The agent ends after a fault of this length that no step has recovered; `nil` for never.
    var exitAfter: Duration? {
        radio.exitAfterMinutes > 0 ? .seconds(radio.exitAfterMinutes * 60) : nil
    }

    package init(
        _ radio: RadioSettings = RadioSettings(), references: [BeaconIdentity] = [],
        isShared: Bool = false, seed: UInt64 = 0,
        powerCycle: @escaping () -> (any PowerCycle)? = { nil },
        powerOn: @escaping () -> (any PowerCycle)? = { nil },
        arrivals: (any AdapterArrivals)? = nil
    ) {
        self.references = references
        self.isShared = isShared
        self.seed = seed
        self.powerCycle = powerCycle
        self.powerOn = powerOn
        self.arrivals = arrivals
        self.radio = radio
    }
}
