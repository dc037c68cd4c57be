import Glibc
import MQTT
import Posix
import Primitives
import Session
import Subscriber
import Terminal

/// `sightline watch` while it runs: messages of the broker become frames, lines or JSON.
struct WatchSession: TerminalProgram {
    enum Presentation {
        case screen
        case lines
        case json
    }

    let presentation: Presentation
    private let broker: String
    /// The end of `--seconds`.
    private let end: Instant?
    private var reader: MessageReader
    private var screen: WatchScreen
    private var isConnected = false
    /// Whether the broker keeps retained messages.
    private var retains = true
    /// The names for completions; `nil` if the command line asks for a part of the fleet.
    private let fleet: NameCache?

    init(_ command: WatchCommand, _ environment: Environment, at now: Instant) {
        presentation =
            command.json ? .json : TerminalScreen.isUsable(environment) ? .screen : .lines
        broker = "\(command.connection.broker)"
        end = command.seconds.map { now + .seconds($0) }
        reader = MessageReader(
            root: command.connection.root, site: command.site, gateway: command.gateway,
            selection: command.connection.selection,
            acceptsUnsyncedClocks: command.connection.acceptsUnsyncedClocks)
        screen = WatchScreen(
            broker: broker, notes: command.notes, colours: environment.wantsColours,
            unicode: environment.isUTF8)
        let isWhole =
            command.site == nil && command.gateway == nil && command.connection.selection == nil
        fleet = isWhole ? NameCache(environment) : nil
    }

    var deadline: Instant? {
        [end, reader.names.due, isConnected && presentation == .screen ? screen.nextRedraw : nil]
            .compactMap(\.self).min()
    }

    mutating func on(
        _ event: TerminalLoop.Event, at now: Instant
    ) -> [TerminalLoop.Command] {
        switch event {
        case .broker(let event): return on(event, at: now)
        case .noAnswer(let address): return [.report("waiting for an answer from \(address)")]
        case .interrupted: return finished()
        case .key(let key): return screen.on(key, reader.model, at: now) ? finished() : []
        case .resized(let size):
            screen.resize(to: size)
            return []
        case .answer: return []
        case .tick:
            switch reader.judgeNames(at: now, broker: broker) {
            case .unknown(let sentence): return [.report(sentence), .exit(.failed)]
            case .noGateway:
                screen.advice = noGateway
                return changed(noGateway, at: now)
            case nil: break
            }
            guard let end, now >= end else { return [] }
            guard isConnected, reader.names.isEmpty, reader.names.unknown(at: broker) == nil else {
                return finished()
            }
            let isReported = reader.names.isJudged && presentation != .screen
            return (isReported ? [] : [.report(noGateway)]) + [.exit(.failed)]
        }
    }

    private var noGateway: String {
        retains
            ? UnknownName.noGateway(below: reader.root)
            : UnknownName.noRetainedMessages(at: broker)
    }

    /// The end that the user asked for. A watch without a broker, or of an unknown site, has failed.
    private func finished() -> [TerminalLoop.Command] {
        guard isConnected else {
            return [.report("no connection to \(broker): nothing was shown"), .exit(.failed)]
        }
        if !reader.model.gateways.isEmpty { fleet?.store(reader.model.gateways.keys) }
        let unknown = retains ? reader.names.unknown(at: broker) : nil
        return unknown.map { [.report($0), .exit(.failed)] } ?? [.exit(.done)]
    }

    private mutating func on(
        _ event: BrokerSession.Event, at now: Instant
    ) -> [TerminalLoop.Command] {
        switch event {
        case .connected(let abilities, isFirst: true):
            isConnected = true
            retains = abilities.retains
            guard !retains else { break }
            screen.advice = noGateway
            return changed(noGateway, at: now)
        case .message(let message):
            if message.isRetained { reader.received(at: now) }
            return take(message, at: now)
        case .subscribed: if retains { reader.subscribed(at: now) }
        case .acknowledged, .subscription, .ended, .retains, .switched: break
        case .lost(let message):
            screen.connectionError = message
            reader.interrupt()
            return changed(message, at: now)
        case .connected:
            screen.connectionError = nil
            return changed(
                "connected to \(broker) again; messages published in between are not shown",
                at: now)
        case .oversized(let topic, let bytes):
            reader.noteUnreadable()
            reader.received(at: now)
            return changed(
                "a message of \(bytes.grouped) bytes on \(topic.printable(limit: 300)) is too large",
                at: now)
        case .failed(let message): return [.report(message), .exit(.failed)]
        }
        return []
    }

    private mutating func take(_ message: Message, at now: Instant) -> [TerminalLoop.Command] {
        if presentation == .json {
            return reader.line(message).map { [.writeBytes($0)] } ?? []
        }
        let lines = reader.on(
            topic: message.topic, payload: message.payload, at: now,
            wall: .now)
        guard presentation == .screen else { return lines.all.map { .write($0 + "\n") } }
        screen.changed(lines.changes.last, at: now)
        return []
    }

    /// The screen shows the change; otherwise `message` goes to standard error.
    private mutating func changed(_ message: String, at now: Instant) -> [TerminalLoop.Command] {
        screen.changed(nil, at: now)
        return presentation == .screen ? [] : [.report(message)]
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] {
        guard presentation == .screen, isConnected, now >= screen.nextRedraw else { return [] }
        reader.pass(to: now)
        return [.draw(screen.lines(reader.model, unreadable: reader.unreadable, at: now))]
    }
}
