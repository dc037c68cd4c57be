import CommandSupport
import Glibc
import MQTT
import Posix
import Primitives
import Subscriber

/// `sightline watch` while it runs: messages of the broker become a table, lines or JSON.
struct WatchSession: TerminalProgram {
    enum Presentation {
        case table
        case lines
        case json
    }

    let presentation: Presentation
    private let broker: String
    private let colours: Bool
    private let unicode: Bool
    /// The end of `--seconds`.
    private let end: Instant?
    private var reader: MessageReader
    private var size = Terminal.Size(columns: 80, rows: 24)
    private var schedule = RedrawSchedule()
    private var isConnected = false
    /// The reason of the lost connection. The table shows it; otherwise it goes to standard error.
    private var connectionError: String?

    init(_ command: WatchCommand, _ environment: Environment, at now: Instant) {
        let isTerminal = TerminalScreen.isUsable(environment)
        presentation = command.json ? .json : isTerminal ? .table : .lines
        broker = "\(command.connection.broker)"
        colours = isTerminal && environment.wantsColours
        unicode = environment.isUTF8
        end = command.seconds.map { now + .seconds($0) }
        reader = MessageReader(root: command.connection.root)
    }

    var deadline: Instant? { [end, nextRedraw].compactMap(\.self).min() }

    mutating func on(
        _ event: TerminalLoop.Event, at now: Instant
    ) -> [TerminalLoop.Command] {
        switch event {
        case .broker(let event): return on(event, at: now)
        case .noAnswer(let address): return [.report("waiting for an answer from \(address)")]
        case .interrupted: return [.exit(.done)]
        case .key(let key):
            schedule.reset()
            return key == .character("q") ? [.exit(.done)] : []
        case .resized(let size):
            self.size = size
            schedule.reset()
            return []
        case .tick:
            reader.pass(to: now)
            return end.map { now >= $0 } ?? false ? [.exit(.done)] : []
        }
    }

    private mutating func on(
        _ event: BrokerLink.Event, at now: Instant
    ) -> [TerminalLoop.Command] {
        switch event {
        case .connected: isConnected = true
        case .message(let message):
            schedule.changed(at: now)
            if presentation == .json {
                return [.writeBytes(MessageReader.rawLine(message.payload))]
            }
            let lines = reader.on(
                topic: message.topic, payload: message.payload, at: now,
                wallMs: Clocks.wall / 1000)
            return presentation == .lines ? lines.map { .write($0 + "\n") } : []
        case .subscribed, .acknowledged: break
        case .trouble(let message):
            connectionError = message
            reader.interrupt()
            return changed(message, at: now)
        case .recovered:
            connectionError = nil
            return changed(
                "connected to \(broker) again; messages published in between are not shown",
                at: now)
        case .oversized(let topic, let bytes):
            reader.noteUnreadable()
            return changed(
                "a message of \(bytes.grouped) bytes on \(topic.printable(limit: 300)) is too large",
                at: now)
        case .failed(let message): return [.report(message), .exit(.failed)]
        }
        return []
    }

    /// The table shows the change; otherwise `message` goes to standard error.
    private mutating func changed(_ message: String, at now: Instant) -> [TerminalLoop.Command] {
        schedule.changed(at: now)
        return presentation == .table ? [] : [.report(message)]
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] {
        guard let nextRedraw, now >= nextRedraw else { return [] }
        let renderer = TableRenderer(
            screen: .init(
                width: size.columns, height: size.rows, colours: colours,
                unicode: unicode))
        let heading = TableRenderer.Heading(
            broker: broker, connectionError: connectionError, unreadable: reader.unreadable)
        schedule.drawn(at: now)
        return [.draw(renderer.lines(reader.model, heading, at: now))]
    }

    /// The first redraw follows the first connection.
    private var nextRedraw: Instant? {
        presentation == .table && isConnected ? schedule.next : nil
    }
}
