import Contract
import JSON
import Primitives
import Sightings
import Subscriber

/// What the server knows of one gateway: its state, the load of its radio, its backlog.
struct GatewayMonitor {
    private var state = GatewayState()
    private var tuning: GatewayTuning?
    private var configuration: ReportedMessage.Status?
    private(set) var condition = GatewayCondition.unknown
    /// By this machine's clock.
    private(set) var since: UnixTime
    private var acceptsUnsyncedClock = false
    private var lastMessage: UnixTime?
    private var listeningSince: Instant?
    /// Whether the last word about the gateway is that its connection to the broker has ended: no window has followed.
    private(set) var isOffline = false

    /// A gateway merges empty windows for up to `report.maxSilenceMs`, 10 s by default.
    private static let silence = Duration.seconds(15)
    /// After a connection, the broker sends the kept status of a gateway sooner. Until then, windows alone do not show its condition.
    private static let keptStatus = Duration.seconds(5)

    init(wall: UnixTime) { since = wall }

    mutating func on(_ message: StatusMessage) {
        _ = state.on(message)
        // A late will of an earlier session has changed nothing.
        isOffline = state.status == .offline
    }

    mutating func on(_ message: SightingsMessage, at now: Instant, wall: UnixTime) {
        lastMessage = wall
        if state.on(message, at: now, wall: wall).isCurrent { isOffline = false }
    }

    mutating func on(_ message: ReportedMessage) {
        (tuning, configuration) = (GatewayTuning(message), message.status)
    }

    mutating func on(_ health: Health) { state.on(health) }

    /// The connection to the broker began or ended. Without it, silence says nothing about a gateway.
    mutating func onConnection(_ isConnected: Bool, at now: Instant) {
        listeningSince = isConnected ? now : nil
        if !isConnected { state.interrupt() }
    }

    /// - Parameter acceptsUnsyncedClock: a clock that is not set is no problem of this site.
    /// - Returns: whether the condition has changed.
    mutating func update(
        at now: Instant, wall: UnixTime, acceptsUnsyncedClock: Bool = false
    ) -> Bool {
        self.acceptsUnsyncedClock = acceptsUnsyncedClock
        let new = present(at: now)
        guard new != condition else { return false }
        condition = new
        since = new == .silent ? lastMessage ?? wall : wall
        return true
    }

    private func present(at now: Instant) -> GatewayCondition {
        guard let listeningSince,
            state.status != nil || now - listeningSince >= Self.keptStatus
        else { return .unknown }
        var evidence = state.evidence(at: now)
        evidence.configuration = configuration
        let last = max(state.lastMessage ?? listeningSince, listeningSince)
        evidence.isSilent = now - last > Self.silence
        if acceptsUnsyncedClock { evidence.clock = nil }
        return evidence.condition
    }

    /// Whether the clock was not set at the last message.
    var isUnsynced: Bool { state.clock == .unsynced }

    /// Whether no message comes: the last numbers are no present ones.
    private var isAbsent: Bool { [.offline, .unknown, .silent].contains(condition) }

    /// As the API has it; `nil` before the first message.
    private var clock: String? {
        guard let clock = state.clock else { return nil }
        return clock == .unsynced && acceptsUnsyncedClock ? "accepted" : clock.rawValue
    }

    /// The gateway in the API. An absent one has no present numbers.
    ///
    /// - Parameter isConfigured: whether a queue names it.
    func json(_ gateway: String, isConfigured: Bool) -> JSON {
        let rate = (state.reportsPerSecond * 10).rounded() / 10
        return [
            "gateway": .string(gateway), "state": .string(condition.rawValue),
            "since": .integer(since.milliseconds),
            "reportsPerSecond": present(.number(rate)),
            "clock": present(clock.map { .string($0) }),
            "delayMs": present(state.delay.map { .integer($0.milliseconds) }),
            "backlog": present(state.health.map { .integer(Int64($0.outbox.batches)) }),
            "lostMessages": .integer(Int64(clamping: state.lost)),
            "lastMessage": lastMessage.map { .integer($0.milliseconds) } ?? .null,
            "configured": .bool(isConfigured), "tuning": tuning?.json ?? .null,
        ]
    }

    private func present(_ value: JSON?) -> JSON { isAbsent ? .null : value ?? .null }
}
