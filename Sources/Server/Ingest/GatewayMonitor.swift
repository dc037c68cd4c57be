import Contract
import JSON
import Primitives
import Sightings
import Subscriber

/// What the server knows of one gateway: its state, the load of its radio, its backlog.
struct GatewayMonitor {
    /// The states in the order of their urgency.
    enum Condition: String, CaseIterable, Comparable {
        /// The broker has reported the end of its connection.
        case offline
        /// It is connected and sends no windows.
        case silent
        /// Its radio receives nothing.
        case deaf
        /// It reports a problem with its radio.
        case degraded
        /// No message of it has arrived.
        case unknown
        case online

        static func < (left: Condition, right: Condition) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    private var state = GatewayState()
    private var versions: LayerVersions?
    private var backlog: Int?
    private(set) var condition = Condition.unknown
    /// Milliseconds since the epoch, by this machine's clock.
    private(set) var since: Int64
    private var lastMessageMs: Int64?
    private var listeningSince: Instant?

    /// A gateway merges empty windows for up to `report.maxSilenceMs`, 10 s by default.
    private static let silence = Duration.seconds(15)

    init(wallMs: Int64) { since = wallMs }

    mutating func on(_ message: StatusMessage) { _ = state.on(message) }

    mutating func on(_ message: SightingsMessage, at now: Instant, wallMs: Int64) {
        lastMessageMs = wallMs
        _ = state.on(message, at: now, wallMs: wallMs)
    }

    mutating func on(_ message: ReportedMessage) { versions = message.versions }

    /// Takes the message of the topic `health`.
    mutating func on(health payload: [UInt8]) {
        let batches = try? ObjectReader.decode(
            parsing: payload, maxBytes: 65_536, unknownKeys: .areIgnored
        ) { reader in
            reader.object("outbox") { $0.integer("batches", in: 0...Int.max) }
        }
        if let batches { backlog = batches }
    }

    /// The connection to the broker began or ended. Without it, silence says nothing about a gateway.
    mutating func onConnection(_ isConnected: Bool, at now: Instant) {
        listeningSince = isConnected ? now : nil
        if !isConnected { state.interrupt() }
    }

    /// - Returns: whether the condition has changed.
    mutating func update(at now: Instant, wallMs: Int64) -> Bool {
        let new = present(at: now)
        guard new != condition else { return false }
        condition = new
        since = new == .silent ? lastMessageMs ?? wallMs : wallMs
        return true
    }

    private func present(at now: Instant) -> Condition {
        guard let listeningSince else { return .unknown }
        if state.status == .offline { return .offline }
        let last = max(state.lastMessage ?? listeningSince, listeningSince)
        let isSilent = now - last > Self.silence
        if state.status == nil, state.lastMessage == nil { return .unknown }
        if isSilent { return .silent }
        if state.radio == .deaf { return .deaf }
        return state.status == .degraded ? .degraded : .online
    }

    /// Whether the clock was not set at the last message.
    var isUnsynced: Bool { state.clock == .unsynced }

    func json(_ gateway: String) -> JSON {
        [
            "gateway": .string(gateway), "state": .string(condition.rawValue),
            "since": .integer(since),
            "reportsPerSecond": .number((state.reportsPerSecond * 10).rounded() / 10),
            "clock": state.clock.map { .string($0.rawValue) } ?? .null,
            "delayMs": state.delay.map { .integer($0.milliseconds) } ?? .null,
            "backlog": backlog.map { .integer(Int64($0)) } ?? .null,
            "lostMessages": .integer(Int64(clamping: state.lost)),
            "lastMessage": lastMessageMs.map { .integer($0) } ?? .null,
            "tuning": versions.map { versions in
                .object(
                    Topics.Layer.allCases.map {
                        .init($0.rawValue, versions[$0].map { .integer($0) } ?? .null)
                    })
            } ?? .null,
        ]
    }
}
