import CommandSupport
import Glibc
import MQTT
import Posix
import Subscriber

/// A retuning at work: one thread that waits for the broker, signals and time.
struct Tune {
    private let link: BrokerLink
    private let reporter: any TuneReporter
    private let isJSON: Bool
    private var campaign: Campaign
    private var output = StandardOutput()
    private var bar: BarLine?
    /// When it will be said that the broker has not answered yet, in microseconds since boot; never, once it was said.
    private var hintTime = Clocks.boot + Tune.patience

    /// Nobody has to be told, or has been, who is waited for.
    private var isPatient: Bool

    /// A broker should have answered by then, in microseconds.
    private static let patience: Int64 = 2_000_000

    init(
        _ command: TuneCommand, _ order: Campaign.Order, _ settings: ConnectionSettings,
        _ environment: Environment
    ) {
        let colours =
            Terminal.isTerminal(STDOUT_FILENO) && environment.terminalCanMove
            && environment.wantsColours
        reporter =
            command.json
            ? JSONTuneReporter(root: order.root, isDryRun: order.isDryRun)
            : PlainTuneReporter(
                root: order.root, colours: colours, unicode: environment.isUTF8)
        isJSON = command.json
        // Beyond its queue a broker throws away what a client has not acknowledged yet (mosquitto after 1,000 messages), and
        // a fleet retains more; what needs no acknowledgement it just writes. A connection that breaks is read anew.
        link = BrokerLink(settings, filters: order.filters, quality: .atMostOnce)
        campaign = Campaign(order, at: Clocks.boot)
        if command.plan != nil, Terminal.isTerminal(STDERR_FILENO), environment.terminalCanMove {
            bar = BarLine(STDERR_FILENO, unicode: environment.isUTF8)
        }
        isPatient = command.plan != nil || command.json || !Terminal.isTerminal(STDERR_FILENO)
    }

    /// Runs until every gateway has answered, time is up, or a signal.
    mutating func run() -> ExitCode {
        let signals: Signals
        do throws(Errno) {
            signals = try Signals([SIGINT, SIGTERM, SIGHUP])
        } catch {
            StandardOutput.complain("can't wait for signals: \(error)")
            return .failed
        }
        while campaign.exit == nil, output.failure == nil {
            let interests = [Poll.Interest(signals.descriptor.rawValue), link.interest]
                .compactMap(\.self)
            let ready: [Poll.Events]
            do throws(Errno) {
                ready = try Poll.wait(for: interests, timeout: timeout)
            } catch {
                complain("can't wait: \(error)")
                return .failed
            }
            while signals.next() != nil { campaign.interrupt() }
            let now = Clocks.boot
            let events = link.service(interests.count > 1 ? ready[1] : [], at: now)
            for event in events { take(event, at: now) }
            campaign.pass(to: now)
            // After what has just been decided: the next wait may be long.
            publish(at: now)
            hint(at: now)
            show(at: now)
        }
        link.leave()
        return finish()
    }

    private var timeout: Int {
        let now = Clocks.boot
        var wake = min(link.deadline(after: now), campaign.wake)
        if !link.wasConnected { wake = min(wake, hintTime) }
        if let bar { wake = min(wake, bar.next) }
        if !isPatient, let decided = campaign.decidedAt {
            wake = min(wake, decided + Self.patience)
        }
        // One more, so that what is waited for is not missed by a part of a millisecond.
        return Int(clamping: max(0, wake - now) / 1000 + (wake > now ? 1 : 0))
    }

    private mutating func take(_ event: BrokerLink.Event, at now: Int64) {
        switch event {
        case .message(let message): campaign.on(message, at: now)
        case .oversized(let topic, let bytes):
            campaign.onOversized(topic: topic, bytes: bytes, at: now)
        case .subscribed: campaign.subscribed(at: now)
        case .acknowledged(let token, let reason):
            campaign.on(acknowledgement: token, reason, at: now)
        case .trouble(let sentence):
            campaign.lost(at: now)
            complain(sentence)
        case .recovered: complain("connected to \(link.address) again")
        case .failed(let sentence):
            complain(sentence)
            campaign.end(.failed)
        }
    }

    private mutating func publish(at now: Int64) {
        while link.takesPublications, let (message, token) = campaign.nextPublication() {
            do throws(PublishFailure) {
                try link.publish(message, token: token)
            } catch {
                // Without a connection: it is published again on the next one.
                guard case .refused(let reason) = error else { return }
                campaign.on(acknowledgement: token, reason, at: now)
            }
        }
    }

    /// A broker that accepts and then says nothing would look like one without gateways.
    private mutating func hint(at now: Int64) {
        guard campaign.exit == nil, !link.wasConnected, now >= hintTime else { return }
        hintTime = .max
        complain("waiting for an answer from \(link.address)")
    }

    private mutating func show(at now: Int64) {
        for item in campaign.takeNews() {
            switch item {
            case .edition(let edition): write(reporter.lines(edition))
            case .published(let edition): write(reporter.lines(published: edition))
            case .judged(let gateway, let judgement):
                // With a bar, the lines come at the end.
                guard bar == nil else { continue }
                write([reporter.line(gateway, judgement, isInterrupted: false)])
            case .note(let sentence): complain(sentence)
            }
        }
        output.flush()
        sayWhoIsAwaited(at: now)
        if campaign.exit == nil { bar?.draw(campaign.progress(at: now), at: now) }
    }

    /// Without a bar, a terminal would show nothing for half a minute.
    private mutating func sayWhoIsAwaited(at now: Int64) {
        guard !isPatient, campaign.exit == nil, let decided = campaign.decidedAt,
            now >= decided + Self.patience
        else { return }
        isPatient = true
        campaign.waiting.map { complain($0) }
    }

    private mutating func finish() -> ExitCode {
        bar?.erase()
        var code = campaign.exit ?? .failed
        if campaign.isJudging {
            for (gateway, judgement) in campaign.judgements.sorted(by: { $0.key < $1.key })
            where bar != nil || !judgement.isFinal {
                write([
                    reporter.line(
                        gateway, campaign.closing(gateway, judgement),
                        isInterrupted: campaign.isInterrupted)
                ])
            }
            write([reporter.line(campaign.summary(code))])
        } else if isJSON, campaign.decidedAt != nil {
            write([reporter.line(campaign.summary(code))])
        }
        output.flush()
        switch output.failure {
        case nil: break
        case .brokenPipe: StandardOutput.endByBrokenPipe()
        case .some(let failure):
            StandardOutput.complain("can't write: \(failure)")
            code = .failed
        }
        return code
    }

    private mutating func write(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        bar?.erase()
        lines.forEach { output.write($0 + "\n") }
    }

    private mutating func complain(_ sentence: String) {
        bar?.erase()
        output.flush()
        StandardOutput.complain(sentence)
    }
}
