import Glibc
import MQTT
import Posix
import Primitives
import Session
import Subscriber
import Terminal

/// `sightline tune` while it runs: a rollout becomes lines, and a bar on a terminal.
struct TuneSession: TerminalProgram {
    private let reporter: any TuneReporter
    private let isJSON: Bool
    private let isVerbose: Bool
    /// `host:port` of the broker.
    private let address: String
    /// The names for completions.
    private let names: NameCache
    private var rollout: Rollout
    private var bar: BarLine?
    /// Whether the notice about pending gateways is still to come.
    private var announcesWaiting: Bool

    /// The changes of more documents are shown together.
    private static let mostDocuments = 10
    /// The most gateways of a verdict at the end of a large rollout.
    private static let mostListed = 20
    /// The time before the notice about pending gateways.
    private static let patience = Duration.seconds(2)

    init(
        _ command: TuneCommand, _ request: RolloutRequest, _ environment: Environment,
        at now: Instant
    ) {
        reporter =
            command.json
            ? JSONTuneReporter(root: request.root, isDryRun: request.isDryRun)
            : PlainTuneReporter(
                root: request.root, colours: environment.colours, unicode: environment.isUTF8)
        isJSON = command.json
        isVerbose = command.isVerbose
        address = command.connection.broker.address
        names = NameCache(environment)
        rollout = Rollout(request, at: now)
        if Terminal.isTerminal(STDERR_FILENO), environment.terminalCanMove {
            bar = BarLine(STDERR_FILENO, unicode: environment.isUTF8)
        }
        announcesWaiting =
            !command.json && Terminal.isTerminal(STDERR_FILENO)
    }

    var deadline: Instant? {
        [rollout.deadline, bar?.deadline, announcesWaiting ? waitingNoticeDue : nil]
            .compactMap(\.self).min()
    }

    private var waitingNoticeDue: Instant? {
        rollout.hasConsent ? rollout.delivery.map { $0.begunAt + Self.patience } : nil
    }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(let event): return on(event, at: now)
        case .noAnswer(let address): return report("waiting for an answer from \(address)")
        case .interrupted: rollout.interrupt()
        case .tick: rollout.tick(at: now)
        case .answer(let text):
            rollout.answer(["y", "yes"].contains(text?.lowercased()), at: now)
        case .resized, .key: break
        }
        return []
    }

    private mutating func on(
        _ event: BrokerSession.Event, at now: Instant
    ) -> [TerminalLoop.Command] {
        switch event {
        case .message(let message): rollout.on(message, at: now)
        case .oversized(let topic, let bytes):
            rollout.onOversized(topic: topic, bytes: bytes, at: now)
        case .connected(let abilities, isFirst: true): rollout.connected(abilities)
        case .subscription, .ended, .retains, .switched: break
        case .subscribed: rollout.subscribed(at: now)
        case .acknowledged(let token, let reason):
            rollout.on(acknowledgement: token, reason, at: now)
        case .lost(let sentence):
            rollout.lost(at: now)
            return report(sentence)
        case .connected: return report("connected to \(address) again")
        case .failed(let sentence):
            rollout.finish(.failed)
            return report(sentence)
        }
        return []
    }

    mutating func nextPublication() -> (message: Publication, token: UInt64)? {
        rollout.nextPublication(at: .now)
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] {
        let summarises = summarises
        var commands = rollout.takeOutputs().flatMap { item -> [TerminalLoop.Command] in
            switch item {
            case .revision(let revision):
                guard isJSON || !rollout.isLarge || revision.bytes != nil, !summarises else {
                    return []
                }
                return write(reporter.lines(revision))
            case .changing(let changing, let documents):
                guard documents > 1 else { return [] }
                let summary = ChangeSummary(
                    summarises ? rollout.delivery?.changes.map(\.revision) ?? [] : [])
                return write(
                    (summarises ? reporter.lines(summary) : [])
                        + reporter.lines(changing: changing, of: documents))
            case .published(let revision): return write(reporter.lines(published: revision))
            case .result(let gateway, let result):
                // `finish` writes the results of a large rollout.
                guard isJSON || !rollout.isLarge else { return [] }
                return write([reporter.line(gateway, result, isInterrupted: false)])
            case .notice(let sentence): return report(sentence)
            case .question(let sentence):
                return erasure + [.ask("sightline: \(sentence) [y/N] ")]
            }
        }
        if let exit = rollout.exit { return commands + [.exit(exit)] }
        commands += announceWaiting(at: now)
        let text = rollout.isLarge ? bar?.draw(rollout.progress(at: now), at: now) ?? "" : ""
        return text.isEmpty ? commands : commands + [.writeError(text)]
    }

    /// Whether the changes of all documents are shown together.
    private var summarises: Bool {
        !isJSON && !isVerbose && rollout.delivery?.changes.count ?? 0 > Self.mostDocuments
    }

    /// Shows the pending gateways on a terminal without a bar, which would show nothing for half a minute.
    private mutating func announceWaiting(at now: Instant) -> [TerminalLoop.Command] {
        guard announcesWaiting, let due = waitingNoticeDue, now >= due else { return [] }
        announcesWaiting = false
        guard !rollout.isLarge || bar == nil else { return [] }
        return rollout.waiting.map { report($0) } ?? []
    }

    mutating func finish() -> [TerminalLoop.Command] {
        let heardOf = rollout.roster.gateways.filter(\.value.isHeardOf).keys
        if rollout.delivery != nil { names.store(heardOf) }
        var lines: [String] = []
        if rollout.hasResults {
            lines = isJSON || !rollout.isLarge ? unanswered : attention
        }
        if rollout.hasResults || isJSON && rollout.delivery != nil {
            lines.append(reporter.line(rollout.summary(rollout.exit ?? .failed)))
        }
        return erasure + write(lines)
    }

    private var unanswered: [String] { lines(rollout.unanswered) }

    private var attention: [String] {
        rollout.attention.flatMap { results in
            let most = isVerbose ? .max : Self.mostListed
            let others = results.count - most
            return lines(results.prefix(most))
                + (others > 0
                    ? ["and \(others.grouped) more \(results[0].result.verdict.rawValue)"] : [])
        }
    }

    private func lines(
        _ results: some Sequence<(name: GatewayName, result: GatewayResult)>
    ) -> [String] {
        results.map { reporter.line($0.name, $0.result, isInterrupted: rollout.isInterrupted) }
    }

    private mutating func write(_ lines: [String]) -> [TerminalLoop.Command] {
        lines.isEmpty ? [] : erasure + lines.map { .write($0 + "\n") }
    }

    private mutating func report(_ sentence: String) -> [TerminalLoop.Command] {
        erasure + [.report(sentence)]
    }

    /// Removes the bar before other output.
    private var erasure: [TerminalLoop.Command] {
        mutating get {
            let text = bar?.erase() ?? ""
            return text.isEmpty ? [] : [.writeError(text)]
        }
    }
}
