import Contract
import JSON
import MQTT
import Posix
import Primitives
import Results
import Subscriber
import Terminal

/// The results of servers: the present of all items once, or a line for each event.
struct LiveResults: TerminalProgram {
    struct Options {
        let topics: ResultTopics
        /// `nil` for all sites.
        var site: String?
        let follows: Bool
        let json: Bool
    }

    /// What the command shows.
    struct Content: Sendable {
        let state: ResultKind
        let event: ResultKind
        /// The key of a site in the server's file.
        let key: String
        /// Whether an event is shown.
        var isAsked: @Sendable (JSON) -> Bool = { _ in true }
        let sentence: @Sendable (JSON) -> String
        /// The states that are shown, in their order; they come in that of their topics.
        var arranged: @Sendable ([State]) -> [State] = { $0 }
        /// The lines of these states, and the exit status.
        let present: @Sendable ([State]) -> (lines: [String], status: ExitCode)
    }

    struct State: Sendable {
        let site: String
        let item: String
        let document: JSON
    }

    private let options: Options
    private let content: Content
    /// By the topic.
    private var states: [String: State] = [:]
    /// Whether each server is online.
    private var servers: [String: Bool] = [:]
    private var barrier = RetainedBarrier()
    private var lines: [String] = []
    private var isOver = false

    /// Of a document.
    static let maxBytes = 1 << 20
    /// More states are not shown.
    private static let most = 100_000

    init(_ options: Options, _ content: Content) {
        self.options = options
        self.content = content
    }

    var filters: [String] {
        let kind = options.follows ? content.event : content.state
        let topics = kind.topic.map { [options.topics.filter($0, site: options.site)] } ?? []
        return topics + (options.follows ? [] : [options.topics.status(of: "+")])
    }

    var deadline: Instant? { options.follows ? nil : barrier.deadline }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(.message(let message)):
            take(message, at: now)
            return []
        case .broker(.subscribed):
            barrier.subscribed(at: now)
            return []
        case .tick:
            guard !options.follows, !isOver, barrier.isComplete(at: now) else { return [] }
            return complete()
        case .broker(.lost(let text)):
            return [.report(text)] + (options.follows ? [] : [.exit(.failed)])
        case .broker(.connected(_, isFirst: false)): return [.report("connected again")]
        case .broker(.failed(let text)): return [.report(text), .exit(.failed)]
        case .noAnswer(let address): return [.report("no answer from \(address); waiting")]
        case .interrupted: return [.exit(options.follows ? .done : .failed)]
        default: return []
        }
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] {
        defer { lines = [] }
        return lines.map { .write($0 + "\n") }
    }

    private mutating func take(_ message: Message, at now: Instant) {
        let document = try? JSON(parsing: message.payload, maxBytes: Self.maxBytes)
        if let server = options.topics.server(of: message.topic) {
            barrier.received(at: now)
            guard servers[server] != nil || servers.count < Self.most else { return }
            servers[server] = document.map { $0["state"] == "online" }
        }
        guard let place = options.topics.parse(message.topic), let document else { return }
        if !options.follows, place.kind == content.state.topic {
            barrier.received(at: now)
            guard document["kind"] == .string(content.state.name), states.count < Self.most
            else { return }
            states[message.topic] = State(
                site: place.site, item: place.item, document: document)
        } else if options.follows, place.kind == content.event.topic {
            guard document["kind"] == .string(content.event.name), content.isAsked(document)
            else { return }
            lines.append(options.json ? document.text : content.sentence(document))
        }
    }

    /// All retained messages have arrived.
    private mutating func complete() -> [TerminalLoop.Command] {
        isOver = true
        guard !states.isEmpty else {
            return [
                .report(
                    "no \(content.state.name) on \(filters[0]). Compare --results-root with the "
                        + "server's mqtt.resultsRoot, and its configuration with \(content.key)"),
                .exit(.failed),
            ]
        }
        let shown = content.arranged(states.sorted { $0.key < $1.key }.map(\.value))
        var (lines, status) = content.present(shown)
        if options.json { lines = shown.map(\.document.text) }
        var reports: [TerminalLoop.Command] = []
        // A topic does not name its server.
        if !servers.isEmpty, !servers.values.contains(true) {
            reports = [.report("all servers are offline: these states are of the past")]
            status = .failed
        }
        return lines.map { .write($0 + "\n") } + reports + [.exit(status)]
    }
}

/// Parts of the lines that both kinds of events share.
extension LiveResults {
    static func text(_ value: JSON?) -> String? {
        if case .string(let text)? = value { text.printable(limit: 300) } else { nil }
    }

    static func time(_ value: JSON?) -> UnixTime? {
        if case .integer(let time)? = value { UnixTime(milliseconds: time) } else { nil }
    }
}
