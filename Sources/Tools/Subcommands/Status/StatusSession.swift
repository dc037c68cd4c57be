import Posix
import Primitives
import Session
import Subscriber
import Terminal

/// `sightline status` while it runs: retained messages become a table, details or JSON.
struct StatusSession: TerminalProgram {
    private enum Phase {
        case gathering
        /// With `--watch`: the table is on the screen.
        case watching(StatusScreen)
    }

    private let command: StatusCommand
    private let environment: Environment
    private let address: String
    private var fleet: FleetStatus
    private var barrier = RetainedBarrier()
    private var phase = Phase.gathering

    private var size = TerminalScreen.size

    init(_ command: StatusCommand, _ environment: Environment) {
        self.command = command
        self.environment = environment
        address = command.connection.broker.address
        fleet = FleetStatus(
            root: command.connection.root, detailed: command.gateway,
            acceptsUnsyncedClocks: command.connection.acceptsUnsyncedClocks)
    }

    var deadline: Instant? {
        switch phase {
        case .gathering: barrier.deadline
        case .watching(let screen): screen.nextDrawing
        }
    }

    mutating func on(
        _ event: TerminalLoop.Event, at now: Instant
    ) -> [TerminalLoop.Command] {
        switch event {
        case .broker(let event): return on(event, at: now)
        case .noAnswer(let address): return [.report("waiting for an answer from \(address)")]
        case .answer: break
        case .interrupted:
            if case .gathering = phase { return [.exit(.failed)] }
            return [.exit(.done)]
        case .key(let key):
            guard case .watching(var screen) = phase else { return [] }
            let isOver = screen.on(key, StatusReport(fleet, command), size)
            phase = .watching(screen)
            if isOver { return [.exit(.done)] }
        case .tick:
            guard case .gathering = phase, barrier.isComplete(at: now) else { return [] }
            return complete(at: now)
        case .resized(let size):
            self.size = size
            if case .watching(var screen) = phase {
                screen.redraw()
                phase = .watching(screen)
            }
        }
        return []
    }

    private mutating func on(
        _ event: BrokerSession.Event, at now: Instant
    ) -> [TerminalLoop.Command] {
        switch event {
        case .message(let message):
            fleet.on(topic: message.topic, payload: message.payload)
            if message.isRetained { barrier.received(at: now) }
        case .oversized(let topic, let bytes):
            fleet.onOversized(topic: topic, bytes: bytes)
            barrier.received(at: now)
        case .subscribed: barrier.subscribed(at: now)
        case .lost(let message):
            guard case .watching(var screen) = phase else {
                return [.report(message), .exit(.failed)]
            }
            screen.note(message)
            phase = .watching(screen)
        case .connected(let abilities, isFirst: true):
            guard abilities.retains else {
                let reason = UnknownName.noRetainedMessages(at: address)
                return [.report("\(reason): use 'sightline watch'"), .exit(.failed)]
            }
        case .connected(_, isFirst: false):
            guard case .watching(var screen) = phase else { return [] }
            screen.note(nil)
            phase = .watching(screen)
        case .failed(let message): return [.report(message), .exit(.failed)]
        case .acknowledged, .subscription, .ended, .retains, .switched: break
        }
        return []
    }

    /// All retained messages have arrived.
    private mutating func complete(at now: Instant) -> [TerminalLoop.Command] {
        NameCache(environment).store(fleet.names)
        let report = StatusReport(fleet, command)
        if let fault = report.fault { return [.report(fault), .exit(.failed)] }
        if command.watches {
            phase = .watching(
                StatusScreen(broker: "\(command.connection.broker)", order: command.order))
            return []
        }
        var exit: [TerminalLoop.Command] = report.missing.map { [.report($0)] } ?? []
        exit.append(.exit(report.isFailing ? .found : .done))
        if command.json {
            return report.json.map { .write($0.text + "\n") } + exit
        }
        let size = TerminalScreen.isUsable(environment) ? size : nil
        let lines = report.lines(
            width: size?.columns, height: command.showsAll ? nil : size?.rows,
            wall: .now)
        return lines.map { .write(text($0, width: size?.columns) + "\n") } + exit
    }

    private func text(_ line: StyledLine, width: Int?) -> String {
        line.text(
            width: width ?? .max,
            colours: environment.colours,
            unicode: environment.isUTF8)
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] {
        guard case .watching(var screen) = phase, now >= screen.nextDrawing else { return [] }
        let lines = screen.lines(
            StatusReport(fleet, command), size, wall: .now)
        screen.drawn(at: now)
        phase = .watching(screen)
        return [.draw(lines.map { text($0, width: size.columns) })]
    }
}
