import Facts
import HTTP
import JSON
import Primitives
import Queueing
import ResultStore
import Results

/// The answer to a question about what the gateways of a queue heard, part by part.
struct Evidence {
    private let queue: QueueLayout
    private let site: Site
    private let span: Range<UnixTime>
    private let withWindows: Bool
    /// The strips of the time before the running day, and the windows that they still lack.
    private var strips: [PastStrip]
    private var earlier: Range<UnixTime>
    /// The windows that are to be listed; `nil` before that.
    private var rest: Range<UnixTime>?
    private var listed = 0

    /// Windows of a part: they take some milliseconds.
    private static let windowsAtOnce = 200

    init(
        _ queue: QueueLayout, _ site: Site, _ span: Range<UnixTime>,
        earlier: Range<UnixTime>, withWindows: Bool
    ) {
        self.queue = queue
        self.site = site
        self.span = span
        self.earlier = earlier
        self.withWindows = withWindows
        let start = UnixSecond(containing: earlier.lowerBound)
        strips = earlier.isEmpty ? [] : queue.gateways.map { PastStrip(gateway: $0, from: start) }
    }

    /// - Returns: the next part; `nil` after the last one.
    mutating func next(_ state: ServerState) throws(Problem) -> [UInt8]? {
        if !earlier.isEmpty {
            try readEarlier(state)
            // JSON may begin with spaces.
            return [UInt8(ascii: " ")]
        }
        guard let rest else {
            self.rest = withWindows ? span : span.upperBound..<span.upperBound
            let text = head(state).text.dropLast() + (withWindows ? ",\"windows\":[" : "}")
            return Array(text.utf8)
        }
        guard !rest.isEmpty else { return nil }
        return try windows(of: rest, state)
    }

    private mutating func readEarlier(_ state: ServerState) throws(Problem) {
        let (windows, end) = try read(earlier, state)
        for (gateway, window) in windows {
            strips.firstIndex { $0.strip.gateway == gateway }.map { strips[$0].take(window) }
        }
        earlier = end..<earlier.upperBound
        let second = earlier.isEmpty ? UnixSecond(notBefore: end) : UnixSecond(containing: end)
        for index in strips.indices { strips[index].advance(to: second) }
    }

    private func head(_ state: ServerState) -> JSON {
        let roles =
            queue.entry.map { ($0, "entry") } + queue.till.map { ($0, "till") }
            + queue.along.map { ($0, "along") }
        let present = site.today.estimator.strips
        let gateways = roles.map { gateway, role -> JSON in
            let runs = (strips.map(\.strip) + present).filter { $0.gateway == gateway }
                .flatMap(\.runs)
            return [
                "gateway": .string(gateway), "role": .string(role),
                "runs": .array(runs.compactMap { $0.json(within: span) }),
            ]
        }
        var members = [JSON.Member("gateways", .array(gateways))]
        if let truth = state.truth {
            members.append(.init("truth", truth.log.json(of: queue.name, in: span)))
        }
        return .object(members)
    }

    private mutating func windows(
        of rest: Range<UnixTime>, _ state: ServerState
    ) throws(Problem) -> [UInt8] {
        let (found, next) = try read(rest, state)
        let heard = found.filter { queue.gateways.contains($0.gateway) }
        let windows = heard.prefix(ServerState.mostRows - listed)
        let list = windows.map { Self.window.json(of: $0).text }.joined(separator: ",")
        let separator = listed == 0 || windows.isEmpty ? "" : ","
        listed += windows.count
        let isTruncated = windows.count < heard.count
        let isLast = next >= rest.upperBound || isTruncated
        self.rest = isLast ? rest.upperBound..<rest.upperBound : next..<rest.upperBound
        // Between elements, JSON may have spaces.
        let end = isLast ? "],\"truncated\":\(isTruncated)}" : " "
        return Array((separator + list + end).utf8)
    }

    /// The first windows of a time, and where the next ones begin.
    private func read(
        _ range: Range<UnixTime>, _ state: ServerState
    ) throws(Problem) -> (windows: [(gateway: String, window: WindowFact)], end: UnixTime) {
        let name = site.layout.site
        return try state.reading { store throws(StoreFailure) in
            let end = try store.end(of: Self.windowsAtOnce, of: name, in: range)
            var windows: [(gateway: String, window: WindowFact)] = []
            _ = try store.facts(of: name, in: range.lowerBound..<end) { windows.append(($0, $1)) }
            return (windows, end)
        }
    }
}

extension GatewayStrip.Run {
    /// `[fromMs, toMs, state]`; `nil` outside `span`.
    fileprivate func json(within span: Range<UnixTime>) -> JSON? {
        let inside = seconds.span.clamped(to: span)
        guard !inside.isEmpty else { return nil }
        return [
            .integer(inside.lowerBound.milliseconds), .integer(inside.upperBound.milliseconds),
            .string(state.rawValue),
        ]
    }
}

extension Evidence {
    static let parts: [ResultPart] = [
        .init(
            "gateways",
            .list(
                .object([
                    .init("gateway", .name), .init("role", .words(["entry", "till", "along"])),
                    .init(
                        "runs", .list(.tuple(3)),
                        help: "From, to and state: heard, empty, learning, deaf, lost or unknown."),
                ]))),
        .init(
            "truth", TruthLog.points,
            help: "Time and people in line, only of a demonstration with a simulation's truth.",
            isOptional: true),
        .init(
            "windows", .list(.object(window.map(\.part))),
            help: "With windows=yes; 10,000 at most, the first ones.", isOptional: true),
        .init(
            "truncated", .flag, help: "With windows=yes: whether there are more windows.",
            isOptional: true),
    ]

    /// A window without its tags.
    private static let window: [ResultMember<(gateway: String, window: WindowFact)>] = [
        .name("gateway") { $0.gateway },
        .time("start") { $0.window.span.lowerBound }.published(as: .time),
        .time("end") { $0.window.span.upperBound }.published(as: .time),
        .word("state", of: ["hearing", "deaf"]) { $0.window.state == .deaf ? "deaf" : "hearing" },
        .integer("tags") { Set($0.window.readings.map(\.tag)).count },
        .integer("reports") { $0.window.readings.reduce(Int64(0)) { $0 &+ Int64($1.count) } },
    ]
}
