import Contract
import JSON
import MQTT
import Posix
import Primitives
import Queueing
import Regions
import Results
import Subscriber
import Terminal

/// The regions of servers: a table of the present, or a line for each event.
struct LiveRegions: TerminalProgram {
    struct Options {
        let topics: ResultTopics
        let follows: Bool
        /// The beacon or the tag that is shown alone; `nil` for all.
        let subject: String?
        let json: Bool
    }

    private let options: Options
    private var states: [GatewayName: JSON] = [:]
    private var barrier = RetainedBarrier()
    private var lines: [String] = []
    private var isOver = false

    /// More regions are not shown.
    private static let most = 10_000

    init(_ options: Options) { self.options = options }

    var filters: [String] {
        [options.topics.filter(options.follows ? .regionEvents : .region)]
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
        guard let place = options.topics.parse(message.topic),
            let document = try? JSON(parsing: message.payload, maxBytes: 1 << 20)
        else { return }
        switch place.kind {
        case .region where !options.follows:
            barrier.received(at: now)
            let name = GatewayName(site: place.site, id: place.item)
            guard document["kind"] == "region", states.count < Self.most else { return }
            states[name] = document
        case .regionEvents where options.follows:
            guard document["kind"] == "region-event", isAsked(document) else { return }
            lines.append(options.json ? document.text : Self.sentence(document))
        default: break
        }
    }

    private func isAsked(_ event: JSON) -> Bool {
        guard let subject = options.subject else { return true }
        return event["beacon"] == .string(subject) || event["tag"] == .string(subject)
    }

    /// All retained messages have arrived.
    private mutating func complete() -> [TerminalLoop.Command] {
        isOver = true
        guard !states.isEmpty else {
            return [
                .report(
                    "no region on \(options.topics.filter(.region)). Compare --results-root with "
                        + "the server's mqtt.resultsRoot, and its configuration with regions"),
                .exit(.failed),
            ]
        }
        let sorted = states.sorted { $0.key < $1.key }
        let text = options.json ? sorted.map(\.value.text) : table(sorted).lines
        return text.map { .write($0 + "\n") } + [.exit(.done)]
    }

    // MARK: Output

    /// The columns that the kind declares for a terminal.
    private static let columns = RegionResult.kind.columns.compactMap { field, column in
        column.short.map { (title: $0, field: field, column: column) }
    }

    private func table(_ states: [(key: GatewayName, value: JSON)]) -> TextTable {
        var table = TextTable(
            [.left("REGION")]
                + Self.columns.map { $0.field.isNumber ? .right($0.title) : .left($0.title) })
        table.rows = states.map { name, state in
            ["\(name)"]
                + Self.columns.map { column in
                    column.field.cell(column.column, of: state) { LocalDay.clockTime(of: $0) }
                }
        }
        return table
    }

    /// `14:03:07  store-042/shop  exit  TAG  silence 12 s of 11.6 s, 1.9 reports a second, till-1`
    static func sentence(_ event: JSON) -> String {
        let words = ["event", "beacon", "tag"].compactMap { text(event[$0]) }
        var time = ""
        if case .integer(let at)? = event["at"] {
            time = LocalDay.clockTime(of: UnixTime(milliseconds: at))
        }
        let place = "\(text(event["site"]) ?? "")/\(text(event["region"]) ?? "")"
        return ([time, place] + words + [why(event["why"] ?? .null)]).joined(separator: "  ")
    }

    private static func why(_ why: JSON) -> String {
        var parts: [String] = []
        if let reports = number(why["reports"]), let power = number(why["rssi"]) {
            parts.append("\(whole(reports)) reports, \(whole(power)) dBm")
        }
        if let silence = number(why["silenceMs"]) {
            let limit = number(why["deadlineMs"]).map { " of \(seconds($0))" } ?? ""
            parts.append("silence \(seconds(silence))\(limit)")
        }
        if let rate = number(why["ratePerSecond"]) { parts.append("\(tenths(rate)) reports/s") }
        if let rate = number(why["falsePerDay"]) { parts.append("\(tenths(rate)) false/day") }
        if case .array(let gateways)? = why["gateways"] {
            parts.append(gateways.compactMap(text).joined(separator: " "))
        }
        return parts.joined(separator: ", ")
    }

    private static func text(_ value: JSON?) -> String? {
        if case .string(let text)? = value { text.printable(limit: 100) } else { nil }
    }

    private static func number(_ value: JSON?) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    private static func whole(_ number: Double) -> String {
        "\(Int64(min(max(number, -1e6), 1e6).rounded()))"
    }

    private static func tenths(_ number: Double) -> String {
        "\((min(max(number, 0), 1e6) * 10).rounded() / 10)"
    }

    private static func seconds(_ milliseconds: Double) -> String {
        tenths(milliseconds / 1000) + " s"
    }
}
