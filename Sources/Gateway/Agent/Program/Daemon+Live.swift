import Glibc
import HCI
import Posix
import Primitives
import Radio
import Sightings

extension Daemon {
    /// The loop of the radio process: it waits for the radio, the end of the window and signals.
    static func live(_ run: Run) throws(Exit) {
        let signals = try signals(reloading: true)
        var reload = false
        // Before the uplink: it would publish `online` for a run with a faulty scenario.
        let access = try access(run)
        let manager = ServiceManager { getenv($0).map { String(cString: $0) } }
        let destination = try run.destination(manager)
        let supervisor = RadioSupervisor(
            settings: destination.settings,
            maxIdentities: run.configuration.maxIdentities, recovery: access.recovery, log: run.log,
            at: now, open: access.open, answer: { destination.post(.answer($0, $1)) },
            emit: { destination.post($0, $1.stamp) })
        var sentHealth: RadioHealth?
        var sentState: ControllerState?
        var reported: RadioFailure?
        let clock = clockSteps(run)
        // Only this process feeds the watchdog: systemd then notices when it hangs.
        var watchdog = manager?.patience.map {
            WatchdogTimer(period: $0, at: now)
        }
        var gathering: Instant?
        var polls = PollSet()
        var due: Instant? = now
        while true {
            let wake = try wait(
                until: due, &polls, signals, clock, destination, supervisor, gathering: gathering)
            if wake.isSignalled, isEnd(signals, &reload) { break }
            let now = now
            if wake.isUplinkReady || destination.deadline.map({ $0 <= now }) ?? false {
                destination.update(at: now)
            }
            // A mailbox that is full has room soon.
            if reload, destination.post(.reload) { reload = false }
            if watchdog?.isDue(at: now) == true { manager?.send(.alive) }
            do throws(RadioFailure) {
                // Reports alone change neither deadline nor state.
                if !wake.isOther, !reload, let due, now < due,
                    try supervisor.readReports(at: now)
                {
                    gathering = supervisor.gathering(at: now)
                    continue
                }
                // First: after a stall, it gives the reports their windows.
                try supervisor.update(at: now)
                for order in destination.takeOrders() { try supervisor.apply(order, at: now) }
            } catch {
                guard destination.isService else {
                    supervisor.finish(at: now)
                    destination.post(.stop)
                    throw report([error.description], .failed)
                }
                if error != reported { run.log.error(error.sentence, ["source": error.source]) }
                reported = error
            }
            if let references = destination.takeReferences() {
                supervisor.setReferences(references, at: now)
            }
            if wake.isClockSet { supervisor.checkWallClock(at: now) }
            if supervisor.health.isHearing { reported = nil }
            // Not at every report.
            if supervisor.health != sentHealth { destination.post(.radio(supervisor.health)) }
            sentHealth = supervisor.health
            let state = supervisor.controllerState
            if state != sentState, destination.post(.controller(state)) { sentState = state }
            try destination.end?.get()
            gathering = supervisor.gathering(at: now)
            if supervisor.mustExit { break }
            due = .earliest(
                .earliest(supervisor.deadline, watchdog?.deadline), destination.deadline)
        }
        let isFaulty = supervisor.mustExit
        if isFaulty { run.log.error("radio does not recover: ending with exit status 3") }
        run.log.info("ending")
        manager?.send(.stopping)
        supervisor.finish(at: now)
        destination.post(.radio(supervisor.health))
        destination.post(.controller(supervisor.controllerState))
        try destination.finish(signals, isLive: true)
        if isFaulty { throw .radioFault }
    }

    /// - Parameter reloading: whether SIGHUP is one of them; else it is ignored.
    static func signals(reloading: Bool = false) throws(Exit) -> Signals {
        if !reloading { signal(SIGHUP, SIG_IGN) }
        do throws(Errno) {
            return try Signals([SIGTERM, SIGINT] + (reloading ? [SIGHUP] : []))
        } catch {
            throw report(["can't receive signals: \(error)"], .failed)
        }
    }

    /// Whether a signal ends the run. SIGHUP sets `reload`.
    private static func isEnd(_ signals: Signals, _ reload: inout Bool) -> Bool {
        while let signal = signals.next() {
            guard signal == SIGHUP else { return true }
            reload = true
        }
        return false
    }

    /// Wakes the loop when the wall clock is set. Without it, the end of the next window detects the step.
    private static func clockSteps(_ run: Run) -> ClockSteps? {
        do throws(Errno) { return try ClockSteps() } catch {
            run.log.warning("steps of the wall clock can't be waited for", ["reason": error])
            return nil
        }
    }

    static var now: Instant { .now }

    /// How to open the radio, and its recovery settings.
    private static func access(
        _ run: Run
    ) throws(Exit) -> (open: RadioSupervisor.Opening, recovery: RecoverySettings) {
        let settings = run.configuration.radio
        let timing = ScanTiming(percent: settings.scanDutyPercent)
        var recovery = RecoverySettings(
            settings, references: run.configuration.references, seed: Random.word())
        let address = run.configuration.randomAddress
        let source: ControllerSource
        switch run.configuration.source {
        case .adapter(let device, let channel):
            let log = run.log
            let adapter = AdapterSource(
                device: device, exclusive: channel == .user, timing: timing,
                randomAddress: address
            ) { device in
                log.warning("the adapter has another number now", ["adapter": "hci\(device)"])
            }
            recovery.isShared = channel == .raw
            recovery.powerCycle = { adapter.powerCycle() }
            recovery.powerOn = { adapter.powerOn() }
            recovery.arrivals = try? KernelArrivals(exclusive: channel == .user)
            return (
                { desired, now throws(RadioFailure) in try adapter.open(desired, at: now) },
                recovery
            )
        case .h4(let socket): source = .h4(socket)
        case .replay(let path): throw report(["\(path): a capture is no radio"], .wrong)
        }
        let lookup = HostLookup()
        return (
            { desired, now throws(RadioFailure) in
                try LiveRadio(
                    source, timing: timing, advertising: desired, randomAddress: address,
                    lookup: lookup, at: now)
            }, recovery
        )
    }
}
