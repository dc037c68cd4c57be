import Contract
import JSON
import MQTT
import Posix
import Primitives
import Queueing
import Results
import Subscriber
import Terminal

/// The queues of servers, live: a table on a terminal, else a line for each new state.
struct LiveQueues: TerminalProgram {
    private let topics: ResultTopics
    private let isTerminal: Bool
    private var states: [GatewayName: QueueState] = [:]
    /// Whether each server is online.
    private var servers: [String: Bool] = [:]
    private var lines: [String] = []
    private var isChanged = true
    /// When the absence of any queue is reported.
    private var noticeDue: Instant?

    /// More queues, and servers, are not shown.
    private static let mostQueues = 1000
    private static let patience = Duration.seconds(5)

    /// Retained states of the servers come first: they say whether the queues' retained states are of the present.
    static func filters(_ topics: ResultTopics) -> [String] {
        [topics.status(of: "+"), topics.filter(.now)]
    }

    init(_ topics: ResultTopics, isTerminal: Bool) {
        self.topics = topics
        self.isTerminal = isTerminal
    }

    var deadline: Instant? {
        (states.values.compactMap(\.deadline) + [noticeDue].compactMap(\.self)).min()
    }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(.message(let message)):
            take(message, at: now)
            return []
        case .broker(.subscribed):
            if states.isEmpty { noticeDue = now + Self.patience }
            return []
        case .tick:
            noteStale(at: now)
            return notice(at: now)
        case .broker(.lost(let text)): return [.report(text)]
        case .broker(.connected(_, isFirst: false)): return [.report("connected again")]
        case .broker(.failed(let text)): return [.report(text), .exit(.failed)]
        case .noAnswer(let address): return [.report("no answer from \(address); waiting")]
        case .interrupted, .key(.character("q")): return [.exit(.done)]
        case .resized, .key(.refresh):
            isChanged = true
            return []
        default: return []
        }
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] {
        guard isTerminal else {
            defer { lines = [] }
            return lines.map { .write($0 + "\n") }
        }
        guard isChanged, !states.isEmpty else { return [] }
        isChanged = false
        return [.draw(table.lines)]
    }

    // MARK: Messages

    private mutating func take(_ message: Message, at now: Instant) {
        if let server = topics.server(of: message.topic) {
            return take(message.payload, of: server)
        }
        guard let place = topics.parse(message.topic), place.kind == .now else { return }
        let name = GatewayName(site: place.site, id: place.item)
        guard let state = try? JSON(parsing: message.payload, maxBytes: LiveResults.maxBytes),
            state["kind"] == "queue", states[name] != nil || states.count < Self.mostQueues
        else {
            states[name] = nil
            isChanged = true
            return
        }
        noticeDue = nil
        let present = QueueState(state, at: now)
        show(name, isEnded ? present.stale : present)
    }

    private mutating func take(_ payload: [UInt8], of server: String) {
        let status = try? JSON(parsing: payload, maxBytes: 65_536)
        guard servers[server] != nil || servers.count < Self.mostQueues else { return }
        servers[server] = status.map { $0["state"] == "online" }
    }

    private mutating func show(_ name: GatewayName, _ state: QueueState) {
        states[name] = state
        isChanged = true
        lines.append(row(name, state).joined(separator: "  "))
    }

    /// Whether all servers are offline: a queue's topic does not name its server.
    private var isEnded: Bool { !servers.isEmpty && !servers.values.contains(true) }

    private mutating func noteStale(at now: Instant) {
        for (name, state) in states.sorted(by: { $0.key < $1.key }) {
            guard !state.isStale, isEnded || state.isOverdue(at: now) else { continue }
            show(name, state.stale)
        }
    }

    private mutating func notice(at now: Instant) -> [TerminalLoop.Command] {
        guard let noticeDue, noticeDue <= now else { return [] }
        self.noticeDue = nil
        return [
            .report(
                "no queue on \(topics.filter(.now)) yet; waiting. Compare --results-root with the server's "
                    + "mqtt.resultsRoot, and run 'sightline-server doctor' on its machine")
        ]
    }

    // MARK: Output

    private var table: TextTable {
        QueueResult.kind.terminalTable(
            ["QUEUE"], rows: states.sorted { $0.key < $1.key }.map { row($0.key, $0.value) })
    }

    /// The state is the first column; a stale one has no other value.
    private func row(_ name: GatewayName, _ queue: QueueState) -> [String] {
        let cells = QueueResult.kind.terminalCells(of: queue.shown)
        return ["\(name)", queue.staleness ?? cells[0]] + cells.dropFirst()
    }
}
