import Beacons
import Configuration
import Contract
import Logging
import Outbox
import Posix
import Primitives
import Sightings

/// The uplink's process, as the radio's process sees it: it is started, watched, and started again.
///
/// The uplink reads what brokers send, so it has no capabilities. Whatever ends it, the radio goes on, and a new uplink gets the
/// batches that the one before has not released.
final class UplinkProcess: Destination {
    private enum Phase {
        case waiting(until: Instant)
        case running(Subprocess)
        /// It is killed, or has closed its end; the kernel has not reported its end yet.
        case ending(Subprocess, cause: String?, since: Instant)
        case over(Result<Void, Daemon.Exit>)
    }

    /// The time between two questions.
    private static let questionInterval = Duration.seconds(10)
    /// The same while the agent ends: a new uplink must have time to store the batches of one that hangs.
    private static let questionIntervalAtEnd = Duration.seconds(1)
    /// After this number of questions without an answer, the uplink hangs.
    private static let maxUnanswered = 3
    /// The time between two looks at a process that is ending.
    private static let lookInterval = Duration.milliseconds(10)
    /// A process that has closed its end and lives on is killed after this time.
    private static let endTime = Duration.seconds(1)
    /// The longest wait for a new process while the agent ends, which has only a few seconds.
    private static let longestWaitAtEnd = Duration.seconds(1)

    let settings: GatewaySettings
    private let log: Log
    private let manager: ServiceManager?
    private let locks: [FolderLock]
    private let isLive: Bool
    private var start: UplinkStart
    private var configuration: LocalConfiguration
    private var link: UplinkLink
    private var phase: Phase
    private var restarts = UplinkRestarts()
    /// When to ask a running uplink, or to look at one that is ending.
    private var nextCheck: Instant
    private var isStopping = false
    private var orders: [ApplyRequest] = []
    private var references: [BeaconIdentity]?

    /// - Parameter manager: the service manager; `nil` without one.
    init(_ run: Daemon.Run, manager: ServiceManager?) throws(Daemon.Exit) {
        if !run.isLive { try run.checkForAgent() }
        locks = run.isLive ? try run.locks() : []
        // A capture can't be tuned.
        let layers = run.isLive ? SavedLayers(run.configuration, log: run.log) : nil
        settings = layers?.reconciler().settings ?? run.configuration.settings
        // The first uplink would end the agent with these faults, after the radio has begun.
        try run.checkBrokers()
        let now = Instant.now
        log = run.log
        self.manager = manager
        isLive = run.isLive
        configuration = run.configuration
        start = UplinkStart(
            session: run.session, began: now, path: run.file ?? "",
            configuration: run.document, source: run.source, layers: layers?.bytes ?? [],
            hasServiceManager: manager != nil)
        link = UplinkLink(run.origin, isPatient: !run.isLive)
        phase = .waiting(until: now)
        nextCheck = now
        begin(at: now)
    }

    // MARK: The loop of the radio's process

    var isService: Bool { true }

    /// `nil` while there is no uplink to hear.
    var interest: Poll.Interest? { if case .running = phase { link.interest } else { nil } }

    var deadline: Instant? {
        switch phase {
        case .waiting(let until): until
        case .running, .ending: nextCheck
        case .over: nil
        }
    }

    /// After `stop`, or because of its configuration.
    var end: Result<Void, Daemon.Exit>? { if case .over(let end) = phase { end } else { nil } }

    /// Reads what the uplink sends, and starts a new one after its end.
    func update(at now: Instant) {
        do throws(DecodeError) {
            let before = link.account?.outbox.counters.acknowledged ?? 0
            for event in try link.receive() { on(event) }
            if link.account?.outbox.counters.acknowledged ?? 0 > before { restarts.delivered() }
        } catch {
            kill("malformed message", at: now)
        }
        switch phase {
        case .waiting(let until) where until <= now: begin(at: now)
        case .waiting, .over: break
        case .running(let process):
            if link.isAtEnd {
                phase = .ending(process, cause: nil, since: now)
                finish(at: now)
            } else if nextCheck <= now {
                ask(at: now)
            }
        case .ending: finish(at: now)
        }
    }

    /// Kills the uplink. None follows. It may have stored more batches than it has reported.
    func kill() -> Int {
        switch phase {
        case .running(let process), .ending(let process, _, _): process.kill()
        case .waiting, .over: break
        }
        return link.batches
    }

    // MARK: To the uplink

    func post(_ batch: Batch, _ stamp: Stamp) -> Bool { link.post(batch, stamp) }

    func post(_ message: UplinkMessage) -> Bool {
        if message == .stop || message == .reload {
            if message == .stop {
                isStopping = true
                nextCheck = .now
            }
            // Another uplink stores the batches of an ended one, and a new configuration may end its failure.
            if case .waiting = phase { phase = .waiting(until: .now) }
        }
        return link.post(message)
    }

    func takeOrders() -> [ApplyRequest] {
        guard !orders.isEmpty else { return [] }
        defer { orders = [] }
        return orders
    }

    func takeReferences() -> [BeaconIdentity]? { references.take() }

    // MARK: From the uplink

    private func on(_ event: UplinkLink.Event) {
        switch event {
        case .order(let request): orders.append(request)
        case .layers(let bytes): start.layers = bytes
        case .service(let notifications):
            manager?.send(notifications)
            let last = notifications.last { $0 == .ready || $0 == .reloading }
            if let last { start.isReady = last == .ready }
        case .reloaded(let bytes):
            guard
                let new = try? LocalConfiguration(
                    parsing: bytes, of: start.path, requiresBroker: true)
            else { return }
            let change = ConfigurationChange(from: configuration, to: new)
            if change.configuration.references != configuration.references {
                references = change.configuration.references
            }
            configuration = change.configuration
            start.reloaded = bytes
            log.use(configuration.log)
        }
    }

    // MARK: Life

    private func begin(at now: Instant) {
        start.account = link.account
        start.batches = link.batches
        do throws(Errno) {
            let (ours, theirs) = try Sockets.pair()
            let socket = Descriptor(owning: ours)
            let other = Descriptor(owning: theirs)
            let process = try Subprocess(
                Daemon.command.name, [Daemon.uplinkArgument], passing: other)
            link.begin(socket, start)
            start.generation += 1
            restarts.began(at: now)
            nextCheck = now
            phase = .running(process)
        } catch {
            retry("can't start: \(error)", at: now)
        }
    }

    private func ask(at now: Instant) {
        let interval =
            isStopping && isLive ? Self.questionIntervalAtEnd : Self.questionInterval
        guard link.unanswered < Self.maxUnanswered else {
            return kill(
                "no answer for \((interval * Self.maxUnanswered).wholeSeconds) s", at: now)
        }
        var usage = ProcessUsage()
        usage.anonymousBytes = ProcessMemory.anonymous
        usage.processor = Clocks.processor + Clocks.processorOfChildren
        link.post(.usage(usage))
        nextCheck = now + interval
    }

    private func kill(_ cause: String, at now: Instant) {
        guard case .running(let process) = phase else { return }
        process.kill()
        phase = .ending(process, cause: cause, since: now)
        nextCheck = now + Self.lookInterval
    }

    /// Finds out how the process ended, if it has.
    private func finish(at now: Instant) {
        guard case .ending(let process, let cause, let since) = phase else { return }
        guard let end = process.end() else {
            if now - since > Self.endTime { process.kill() }
            nextCheck = now + Self.lookInterval
            return
        }
        link.end()
        switch end {
        case .status(Daemon.Exit.done.rawValue) where isStopping: phase = .over(.success(()))
        case .status(Daemon.Exit.wrong.rawValue) where start.generation == 1:
            phase = .over(.failure(.wrong))
        default: retry(cause ?? "\(end)", at: now)
        }
    }

    private func retry(_ cause: String, at now: Instant) {
        var (wait, isNew) = restarts.ended(cause, at: now)
        if isStopping, isLive { wait = min(wait, Self.longestWaitAtEnd) }
        if isNew {
            log.error(
                "uplink process ended; it is started again",
                ["cause": cause, "retryAfterSeconds": wait.wholeSeconds, "batches": link.batches])
        }
        phase = .waiting(until: now + wait)
    }
}
