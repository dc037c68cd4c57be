import CommandSupport
import Glibc
import MQTT
import Posix
import Primitives
import Subscriber

/// Runs a rollout: one thread that waits for the broker, signals and deadlines.
struct Tune {
    private let link: BrokerLink
    private let reporter: any TuneReporter
    private let isJSON: Bool
    private var rollout: Rollout
    private var output = StandardOutput()
    private var bar: BarLine?
    /// When the notice about a missing answer of the broker is due; `nil` after it.
    private var brokerNoticeDue: Instant? = .now + Tune.patience
    /// Whether the notice about pending gateways is still to come.
    private var announcesWaiting: Bool

    /// The time before the notices about a missing answer.
    private static let patience = Duration.seconds(2)

    init(
        _ command: TuneCommand, _ request: RolloutRequest, _ settings: ConnectionSettings,
        _ environment: Environment
    ) {
        let colours =
            Terminal.isTerminal(STDOUT_FILENO) && environment.terminalCanMove
            && environment.wantsColours
        reporter =
            command.json
            ? JSONTuneReporter(root: request.root, isDryRun: request.isDryRun)
            : PlainTuneReporter(
                root: request.root, colours: colours, unicode: environment.isUTF8)
        isJSON = command.json
        // A broker drops messages beyond its queue of unacknowledged ones (mosquitto: 1,000), and a fleet retains more. QoS 0
        // needs no queue. After a lost connection, the rollout reads all retained messages again.
        link = BrokerLink(settings, filters: request.filters, quality: .atMostOnce)
        rollout = Rollout(request, at: .now)
        if command.plan != nil, Terminal.isTerminal(STDERR_FILENO), environment.terminalCanMove {
            bar = BarLine(STDERR_FILENO, unicode: environment.isUTF8)
        }
        announcesWaiting =
            command.plan == nil && !command.json && Terminal.isTerminal(STDERR_FILENO)
    }

    /// Runs until every gateway has a result, the time is over, or a signal arrives.
    mutating func run() -> ExitCode {
        let signals: Signals
        do throws(Errno) {
            signals = try Signals([SIGINT, SIGTERM, SIGHUP])
        } catch {
            StandardOutput.report("can't wait for signals: \(error)")
            return .failed
        }
        while rollout.exit == nil, output.failure == nil {
            let interests = [Poll.Interest(signals.descriptor.rawValue), link.interest]
                .compactMap(\.self)
            let ready: [Poll.Events]
            do throws(Errno) {
                ready = try Poll.wait(for: interests, timeout: timeout)
            } catch {
                report("can't wait: \(error)")
                return .failed
            }
            while signals.next() != nil { rollout.interrupt() }
            let now = Instant.now
            let events = link.service(
                interests.count > 1 ? ready[1] : [], at: now)
            for event in events { take(event, at: now) }
            rollout.tick(at: now)
            // After the tick, which can start publishing: the next wait may be long.
            publish(at: now)
            announceMissingBroker(at: now)
            show(at: now)
        }
        link.leave()
        return finish()
    }

    private var timeout: Int {
        let now = Instant.now
        let linkDeadline = link.deadline(after: now)
        let deadlines = [
            linkDeadline, rollout.deadline, link.wasConnected ? nil : brokerNoticeDue,
            bar?.deadline, announcesWaiting ? waitingNoticeDue : nil,
        ]
        let wake = deadlines.compactMap(\.self).min() ?? linkDeadline
        // Rounded up: a wait that ends before its deadline would be repeated.
        return Int(clamping: max(.zero, wake - now).milliseconds + (wake > now ? 1 : 0))
    }

    private var waitingNoticeDue: Instant? {
        rollout.delivery.map { $0.decidedAt + Self.patience }
    }

    private mutating func take(_ event: BrokerLink.Event, at now: Instant) {
        switch event {
        case .message(let message): rollout.on(message, at: now)
        case .oversized(let topic, let bytes):
            rollout.onOversized(topic: topic, bytes: bytes, at: now)
        case .connected: break
        case .subscribed: rollout.subscribed(at: now)
        case .acknowledged(let token, let reason):
            rollout.on(acknowledgement: token, reason, at: now)
        case .trouble(let sentence):
            rollout.lost(at: now)
            report(sentence)
        case .recovered: report("connected to \(link.address) again")
        case .failed(let sentence):
            report(sentence)
            rollout.finish(.failed)
        }
    }

    private mutating func publish(at now: Instant) {
        while link.takesPublications, let (message, token) = rollout.nextPublication() {
            do throws(PublishFailure) {
                try link.publish(message, token: token)
            } catch {
                // Without a connection, the rollout publishes again on the next one.
                guard case .refused(let reason) = error else { return }
                rollout.on(acknowledgement: token, reason, at: now)
            }
        }
    }

    /// Reports a broker that accepts the connection but does not answer.
    private mutating func announceMissingBroker(at now: Instant) {
        guard rollout.exit == nil, !link.wasConnected, let due = brokerNoticeDue, now >= due
        else { return }
        brokerNoticeDue = nil
        report("waiting for an answer from \(link.address)")
    }

    private mutating func show(at now: Instant) {
        for item in rollout.takeOutputs() {
            switch item {
            case .revision(let revision): write(reporter.lines(revision))
            case .published(let revision): write(reporter.lines(published: revision))
            case .result(let gateway, let result):
                // With a bar, `finish` writes the lines.
                guard bar == nil else { continue }
                write([reporter.line(gateway, result, isInterrupted: false)])
            case .notice(let sentence): report(sentence)
            }
        }
        output.flush()
        announceWaiting(at: now)
        if rollout.exit == nil { bar?.draw(rollout.progress(at: now), at: now) }
    }

    /// Shows the pending gateways on a terminal without a bar, which would show nothing for half a minute.
    private mutating func announceWaiting(at now: Instant) {
        guard announcesWaiting, rollout.exit == nil, let due = waitingNoticeDue, now >= due
        else { return }
        announcesWaiting = false
        rollout.waiting.map { report($0) }
    }

    private mutating func finish() -> ExitCode {
        bar?.erase()
        var code = rollout.exit ?? .failed
        if rollout.hasResults {
            for (gateway, result) in rollout.results.latest.sorted(by: { $0.key < $1.key })
            where bar != nil || !result.isFinal {
                write([
                    reporter.line(
                        gateway, rollout.closing(gateway, result),
                        isInterrupted: rollout.isInterrupted)
                ])
            }
            write([reporter.line(rollout.summary(code))])
        } else if isJSON, rollout.delivery != nil {
            write([reporter.line(rollout.summary(code))])
        }
        output.flush()
        switch output.failure {
        case nil: break
        case .brokenPipe: StandardOutput.endByBrokenPipe()
        case .some(let failure):
            StandardOutput.report("can't write: \(failure)")
            code = .failed
        }
        return code
    }

    private mutating func write(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        bar?.erase()
        lines.forEach { output.write($0 + "\n") }
    }

    private mutating func report(_ sentence: String) {
        bar?.erase()
        output.flush()
        StandardOutput.report(sentence)
    }
}
