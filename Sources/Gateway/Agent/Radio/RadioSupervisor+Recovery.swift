import Primitives
import Radio

/// The measures that `RadioRecovery` chooses.
extension RadioSupervisor {
    /// Performs every measure that is due.
    func recover(at now: Instant) throws(RadioFailure) {
        recovery.tick(at: now, listener.heard)
        while let action = recovery.next() { try perform(action, at: now) }
    }

    private func perform(_ action: RadioRecovery.Action, at now: Instant) throws(RadioFailure) {
        switch action {
        case .unmaskEvents:
            recoveryLog.warning("no report since the radio was opened: setting its event masks")
            try radio?.unmaskEvents(at: now) { on($0, at: now) }
        case .policy(.probe):
            recoveryLog.info(
                recovery.isQuiet
                    ? "no reports: probing the controller"
                    : "a reference beacon is missing: probing the controller")
            try radio?.probe(at: now) { on($0, at: now) }
        case .policy(.apply(let step)):
            updateHearing(at: now)
            try apply(step, at: now)
        case .policy(.rest(let until)):
            recoveryLog.warning("radio recovery failed: pausing before the next attempt")
            // An open radio goes on listening.
            if case .closed = phase { phase = .closed(retryAt: until) }
            updateHearing(at: now)
        case .policy(.recovered(let step)):
            log.info("radio works again", ["after": step.map { "\($0)" } ?? "pause"])
            recoveryLog.reset()
            updateHearing(at: now)
        }
    }

    private func apply(_ step: RecoveryStep, at now: Instant) throws(RadioFailure) {
        let cause = recovery.cause(isOpen: radio != nil)
        switch step {
        case .rescan:
            guard let radio else { return recoveryLog.warning("\(cause): opening it again") }
            recoveryLog.warning("\(cause): switching the scan off and on")
            try radio.rescan(at: now) { on($0, at: now) }
        case .reset:
            recoveryLog.warning("\(cause): resetting the controller")
            if radio != nil { reopen(at: now) }
        case .powerCycle:
            recoveryLog.warning("\(cause): switching the adapter off and on")
            reopen(at: now)
            if let cycle = recovery.startPowerCycle() {
                phase = .powerCycling(cycle)
            } else {
                recovery.on(.stepNotPermitted(.powerCycle), at: now)
            }
        }
    }

    /// Closes the radio for a new attempt without delay.
    private func reopen(at now: Instant) {
        if radio != nil { close(at: now) }
        phase = .closed(retryAt: now)
        if let result = advertising.interrupted() { reply(result) }
    }

    func finishPowerCycle(at now: Instant) {
        guard case .powerCycling(let cycle) = phase, let outcome = cycle.outcome() else { return }
        phase = .closed(retryAt: now)
        // The agent itself has brought the adapter up.
        _ = recovery.takeArrival()
        guard case .failure(let error) = outcome else { return }
        if error == .notPermitted || error == .permissionDenied {
            recoveryLog.warning("can't switch the adapter off and on: CAP_NET_ADMIN is missing")
            recovery.powerNotPermitted(at: now)
        } else if recovery.isPoweringOn {
            recoveryLog.warning("can't switch the adapter on: trying again", ["reason": error])
        } else {
            // Opening the adapter reports the cause.
            log.warning("switching the adapter off and on failed", ["reason": error])
            recovery.powerCycleFailed()
        }
    }
}

/// The time in which the radio process did not run.
extension RadioSupervisor {
    /// Reads the input of a stall.
    ///
    /// The kernel's arrival times put each report into its window. Without them, the reports are in one deaf window, from
    /// `start` until all input is read. After a loss of packets or of the scan, a deaf window begins at the latest report.
    ///
    /// - Parameters:
    ///   - start: the latest run before the stall.
    ///   - woken: the end of the stall.
    /// - Returns: when all input was read. A busy machine needs some time for that.
    func catchUp(since start: Instant, at woken: Instant) throws(RadioFailure) -> Instant {
        guard let radio else { return woken }
        log.warning("radio process did not run", ["ms": (woken - start).milliseconds])
        let clock = radio.stampsArrivals ? listener.steadyClock() : nil
        var isMissed = clock == nil
        if isMissed { listener.miss(from: start) }
        var hasReports = false
        let outcome = Result { () throws(RadioFailure) in
            try radio.drain(at: woken) { reports, event, arrival in
                let time = arrival.flatMap { clock?.instant(of: $0) }
                hasReports = true
                listener.process(
                    reports, of: event,
                    at: time.map { listener.limit($0, from: start, at: woken) } ?? woken)
            }
        }
        let now = listener.later(than: woken)
        let dropped = radio.takeDrops()
        if !isMissed, dropped > 0 || !radio.isScanning || outcome.isFailure {
            isMissed = true
            listener.miss(from: max(listener.lastReport ?? start, start))
        }
        listener.countDropped(packets: dropped, at: now)
        if isMissed { listener.resume(at: now) }
        recovery.on(.resumed, at: now)
        if hasReports { reportReceived(at: now) }
        for notice in try outcome.get() { on(notice, at: now) }
        return now
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
