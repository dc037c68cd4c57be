import Contract
import JSON
import MQTT
import Posix
import Primitives
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
        case .broker(.trouble(let text)): return [.report(text)]
        case .broker(.recovered): return [.report("connected again")]
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
        let name = GatewayName(site: place.site, id: place.queue)
        guard let state = try? JSON(parsing: message.payload, maxBytes: 1 << 20),
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
        var table = TextTable([
            .left("QUEUE"), .left("STATE"), .right("PEOPLE"), .right("WAIT"),
            .right("1 IN 10 ABOVE"), .left("NOT HEARING"),
        ])
        table.rows = states.sorted { $0.key < $1.key }.map { row($0.key, $0.value) }
        return table
    }

    private func row(_ name: GatewayName, _ queue: QueueState) -> [String] {
        let state = queue.shown
        let length = state["length"]
        let wait = state["wait"]
        var reasons: [String] = []
        if case .array(let list)? = state["reasons"] {
            reasons = list.map { reason in
                let isOver = reason["until"] ?? .null != .null
                return Self.text(reason["gateway"]) + " " + Self.text(reason["state"])
                    + (isOver ? " (over)" : "")
            }
        }
        return [
            "\(name)", queue.staleness ?? Self.text(state["state"]),
            Self.range(length?["people"], length?["low"], length?["high"], Self.whole),
            Self.range(wait?["ms"], wait?["lowMs"], wait?["highMs"], Self.duration),
            Self.duration(state["leavers"]?["p90Ms"]),
            reasons.joined(separator: ", ").printable(limit: 200),
        ]
    }

    /// `6 (4 to 9)`, or `unknown`, which is not 0.
    private static func range(
        _ value: JSON?, _ low: JSON?, _ high: JSON?, _ text: (JSON?) -> String
    ) -> String {
        guard let value, value != .null else { return "unknown" }
        return "\(text(value)) (\(text(low)) to \(text(high)))"
    }

    private static func text(_ value: JSON?) -> String {
        switch value {
        case .string(let text): text.printable(limit: 64)
        case .integer(let number): "\(number)"
        case .number(let number): min(max(number, -1e6), 1e6).tenths
        default: "unknown"
        }
    }

    private static func whole(_ value: JSON?) -> String {
        guard case .number(let number)? = value else { return text(value) }
        return "\(Int64(min(max(number, -1e6), 1e6).rounded()))"
    }

    private static func duration(_ value: JSON?) -> String {
        guard case .integer(let milliseconds)? = value else { return "unknown" }
        return Duration.milliseconds(milliseconds).text
    }
}
