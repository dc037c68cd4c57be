import CommandSupport
import Contract
import JSON
import MQTT
import Primitives
import Subscriber

/// The queues of servers, live: a table on a terminal, else a line for each new state.
struct LiveQueues: TerminalProgram {
    private let topics: ResultTopics
    private let isTerminal: Bool
    private var states: [GatewayName: JSON] = [:]
    private var lines: [String] = []
    private var isChanged = true

    let deadline: Instant? = nil

    /// More queues are not shown.
    private static let mostQueues = 1000

    init(_ topics: ResultTopics, isTerminal: Bool) {
        self.topics = topics
        self.isTerminal = isTerminal
    }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(.message(let message)):
            take(message)
            return []
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

    private mutating func take(_ message: Message) {
        guard let place = topics.parse(message.topic), place.kind == .now else { return }
        let name = GatewayName(site: place.site, id: place.queue)
        guard let state = try? JSON(parsing: message.payload, maxBytes: 1 << 20),
            state["kind"] == "queue", states[name] != nil || states.count < Self.mostQueues
        else {
            states[name] = nil
            isChanged = true
            return
        }
        states[name] = state
        isChanged = true
        lines.append(row(name, state).joined(separator: "  "))
    }

    private var table: TextTable {
        var table = TextTable([
            .left("QUEUE"), .left("STATE"), .right("PEOPLE"), .right("WAIT"),
            .right("1 IN 10 ABOVE"), .left("NOT HEARING"),
        ])
        table.rows = states.sorted { $0.key < $1.key }.map { row($0.key, $0.value) }
        return table
    }

    private func row(_ name: GatewayName, _ state: JSON) -> [String] {
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
            "\(name)", Self.text(state["state"]),
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
