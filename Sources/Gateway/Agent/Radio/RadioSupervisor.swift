import Beacons
import Contract
import HCI
import Logging
import Posix
import Primitives
import Radio
import Sightings

/// Opens the radio, reopens it after failures, and closes it. Its reports become batches; its windows show when it is deaf.
///
/// `RadioRecovery` chooses the measures against a silent or failed radio, `AdvertisingSync` the advertising.
package final class RadioSupervisor {
    /// Opens the radio with the advertising that starts after the scan.
    package typealias Opening =
        (_ advertising: DesiredAdvertising, _ now: Instant) throws(RadioFailure) -> LiveRadio

    /// The result of the latest attempt to scan.
    enum Attempt {
        case succeeded
        case failed
    }

    private let open: Opening
    let maxIdentities: Int
    private let answer: (ApplyResult, ControllerState) -> Void
    let log: Log
    var phase: RadioPhase
    var latestAttempt: Attempt?
    private var backoff = Backoff(base: .milliseconds(500), cap: .seconds(30))
    let listener: LiveListener
    var recovery: RadioRecovery
    var advertising: AdvertisingSync
    /// The messages about the open radio.
    private var radioLog: OnceLog
    /// The messages about a fault, until the radio scans without one.
    var recoveryLog: OnceLog
    /// Interferences with radios that are closed now.
    var formerInterferences = 0
    package internal(set) var health = RadioHealth()

    /// A shorter deafness is no degradation: the agent restores an interrupted scan within it.
    static let deafnessTolerance: Duration = .seconds(2)

    /// - Parameters:
    ///   - settings: the settings in force from the start.
    ///   - maxIdentities: the bound of identities in one window.
    ///   - now: the boot clock's time.
    ///   - present: reads the boot clock, for reports that arrive during an update.
    ///   - open: opens the radio.
    ///   - answer: receives the result of each request, and the controller's state.
    ///   - emit: receives the batches, with the wall clock at the end of their windows.
    package init(
        settings: GatewaySettings, maxIdentities: Int,
        recovery: RecoverySettings = RecoverySettings(), log: Log, at now: Instant,
        present: @escaping () -> Instant = { .now },
        open: @escaping Opening,
        answer: @escaping (ApplyResult, ControllerState) -> Void = { _, _ in },
        emit: @escaping (Batch, WallClock) -> Void
    ) {
        self.open = open
        self.maxIdentities = maxIdentities
        self.answer = answer
        self.log = log
        phase = .closed(retryAt: now)
        listener = LiveListener(present: present, emit: emit)
        self.recovery = RadioRecovery(recovery)
        advertising = AdvertisingSync(settings, log: log)
        radioLog = OnceLog(log)
        recoveryLog = OnceLog(log)
    }

    package var controllerState: ControllerState { advertising.state }

    /// The descriptors that become readable when `update` is due.
    package var descriptors: [CInt] {
        if case .closed = phase { recovery.arrivals.map { [$0] } ?? [] } else { phase.descriptors }
    }

    /// When `update` is due, even without input.
    package var deadline: Instant? {
        .earliest(
            .earliest(
                .earliest(phase.deadline, listener.deadline), recovery.deadline(listener.heard)),
            .earliest(health.isDegraded ? nil : degradedAt, recovery.exitDeadline))
    }

    /// Those of them that no report makes readable.
    package var dialogueDescriptors: [CInt] { radio?.dialogueDescriptors ?? [] }

    /// Until when the loop leaves the radio alone after the update at `now`; see `ReportPace`.
    package func gathering(at now: Instant) -> Instant? {
        // No answer of the controller must wait.
        guard let radio, radio.deadline == nil else { return nil }
        return listener.pace.gathering(at: now)
    }

    /// Reads the radio's input and does everything due.
    ///
    /// - Throws: why the radio does not work. A later update tries again.
    package func update(at now: Instant) throws(RadioFailure) {
        var now = now
        let stall = listener.stall(at: now)
        // Packets dropped until now belong to the window that the first report closes.
        if stall == nil, listener.isWindowOver(at: now) { readCounters(at: now) }
        defer {
            listener.advance(to: now)
            listener.ran(at: now)
            updateHealth(at: now)
        }
        do throws(RadioFailure) {
            finishPowerCycle(at: now)
            if case .closed = phase, recovery.takeArrival() {
                backoff.reset()
                phase = .closed(retryAt: now)
            } else if case .closed(let retryAt) = phase, retryAt <= now,
                let cycle = recovery.startPowerOn()
            {
                recoveryLog.info("adapter is down: switching it on")
                phase = .powerCycling(cycle)
            }
            if case .closed(let retryAt) = phase, retryAt <= now {
                phase = .open(try open(advertising.desired, now))
                recovery.opened()
            }
            if let stall { now = try catchUp(since: stall, at: now) }
            readDrops(at: now)
            try radio?.receive(
                at: now, report: { process($0, of: $1, arrival: $2, at: now) },
                notify: { on($0, at: now) })
            try recover(at: now)
        } catch {
            failed(error, at: now)
            throw error
        }
    }

    /// Reads reports before the deadline: most wake-ups of a loop need no more.
    ///
    /// - Returns: whether only reports came. Otherwise, an update must follow.
    package func readReports(at now: Instant) throws(RadioFailure) -> Bool {
        guard let radio, listener.hasStarted, !recovery.awaitsReport else { return false }
        do throws(RadioFailure) {
            defer { listener.ran(at: now) }
            readDrops(at: now)
            return try radio.receive(
                at: now, isDue: false,
                report: { listener.process($0, of: $1, arrival: $2, at: now) },
                notify: { on($0, at: now) })
        } catch {
            failed(error, at: now)
            updateHealth(at: now)
            throw error
        }
    }

    /// Applies settings as a whole, first on the controller. The result goes to `answer`.
    package func apply(_ request: ApplyRequest, at now: Instant) throws(RadioFailure) {
        defer { updateHealth(at: now) }
        switch advertising.on(request) {
        case .answer(let result):
            applyWindows(at: now)
            reply(result)
        case .advertise(let desired):
            do throws(RadioFailure) {
                try radio?.advertise(desired, at: now) { on($0, at: now) }
            } catch {
                failed(error, at: now)
                throw error
            }
        }
    }

    /// Whether the agent ends because no step has recovered the radio for as long as the configuration allows.
    package var mustExit: Bool { recovery.hasFailed }

    package func setReferences(_ references: [BeaconIdentity], at now: Instant) {
        recovery.setReferences(references, at: now)
        listener.setReferences(references, at: now)
    }

    /// Reads the wall clock after a step or at the end of a window.
    package func checkWallClock(at now: Instant) {
        if listener.checkWallClock(at: now) {
            log.warning("wall clock was set", ["steps": listener.clock.steps])
        }
        updateHealth(at: now)
    }

    /// Reads the waiting reports, ends the open window, and stops the radio, except for advertising that the settings keep.
    package func finish(at now: Instant) {
        if let stall = listener.stall(at: now) {
            listener.miss(from: stall)
        } else {
            // Nothing follows from a failure of the radio any more, or from an answer.
            _ = try? readReports(at: now)
        }
        readCounters(at: now)
        listener.finish(at: now)
        let keepsAdvertising = advertising.settings.advertise?.keepOnExit ?? false
        phase.finish(keepingAdvertising: keepsAdvertising)
        phase = .closed(retryAt: now)
        advertising.closed(keepsAdvertising: keepsAdvertising)
        updateHealth(at: now)
    }
}

// MARK: - The radio

extension RadioSupervisor {
    var radio: LiveRadio? { phase.radio }

    private func process(
        _ reports: AdvertisingReports, of event: Bytes, arrival: Instant?, at now: Instant
    ) {
        // Reports of another program's scan, before the gateway's own scan starts, belong to a deaf window.
        if !listener.hasStarted { setHearing(false, at: now) }
        reportReceived(at: now)
        listener.process(reports, of: event, arrival: arrival, at: now)
    }

    func reportReceived(at now: Instant) {
        guard recovery.awaitsReport else { return }
        recovery.on(.reportReceived, at: now)
        updateHearing(at: now)
    }

    func on(_ notice: Controller.Notice, at now: Instant) {
        switch notice {
        case .scanStarted: scanStarted(at: now)
        case .scanStopped:
            logInterference()
            updateHearing(at: now)
        case .scanDisallowed(let opcode):
            radioLog.warning(
                "another program keeps the controller from scanning: trying again",
                ["refused": opcode])
            latestAttempt = latestAttempt ?? .failed
            updateHearing(at: now)
        case .advertised(let outcome):
            guard let radio else { return }
            let result = advertising.on(outcome, radio.advertising)
            advertising.identify(radio)
            applyWindows(at: now)
            if let result { reply(result) }
        case .advertisingChanged:
            logInterference()
            if let radio { advertising.changed(to: radio.advertising) }
        case .probeAnswered: recovery.on(.probeAnswered, at: now)
        case .probeTimedOut: recovery.on(.probeTimedOut, at: now)
        }
    }

    private func scanStarted(at now: Instant) {
        latestAttempt = .succeeded
        backoff.reset()
        radioLog.info("scanning", ["family": radio?.family?.rawValue ?? "unknown"])
        recovery.on(.scanStarted, at: now)
        // The next fault is a new one.
        if !recovery.isRecovering { recoveryLog.reset() }
        updateHearing(at: now)
        advertising.identify(radio)
        applyWindows(at: now)
    }

    private func logInterference() {
        guard let radio, radio.interferences > 0 else { return }
        radioLog.warning("another program changed the scan or the advertising: restoring it")
    }

    private func failed(_ failure: RadioFailure, at now: Instant) {
        close(at: now)
        phase = .closed(retryAt: now + backoff.delay(random: .max))
        if let result = advertising.failed(failure) { reply(result) }
        latestAttempt = .failed
        recovery.on(failure, at: now)
        // Without an open radio, no measure can fail.
        try? recover(at: now)
        updateHearing(at: now)
    }

    /// Closes the radio; the next update opens it again.
    func close(at now: Instant) {
        if radio != nil { health.restarts += 1 }
        readRadio(at: now)
        formerInterferences = health.interferences
        phase = .closed(retryAt: now)
        radioLog.reset()
        advertising.closed()
        updateHearing(at: now)
    }

    func reply(_ result: ApplyResult) { answer(result, advertising.state) }
}
