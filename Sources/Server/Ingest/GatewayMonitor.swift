import Beacons
import Configuration
import Contract
import HTTP
import JSON
import Primitives
import Results
import Sightings
import Subscriber

/// What the server knows of one gateway: its state, the load of its radio, its backlog.
struct GatewayMonitor {
    private var state = GatewayState()
    fileprivate var tuning: GatewayTuning?
    private var configuration: ReportedMessage.Status?
    private(set) var condition = GatewayCondition.unknown
    /// By this machine's clock.
    private(set) var since: UnixTime
    private var acceptsUnsyncedClock = false
    private var lastMessage: UnixTime?
    private var listeningSince: Instant?
    /// Whether the last word about the gateway is that its connection to the broker has ended: no window has followed.
    private(set) var isOffline = false
    /// Whether a message of it has come.
    private(set) var isHeardOf = false

    /// A gateway merges empty windows for up to `report.maxSilenceMs`, 10 s by default.
    private static let silence = Duration.seconds(15)
    /// After a connection, the broker sends the kept status of a gateway sooner. Until then, windows alone do not show its condition.
    private static let keptStatus = Duration.seconds(5)

    init(wall: UnixTime) { since = wall }

    mutating func on(_ message: StatusMessage) {
        isHeardOf = true
        _ = state.on(message)
        // A late will of an earlier session has changed nothing.
        isOffline = state.status == .offline
    }

    mutating func on(_ message: SightingsMessage, at now: Instant, wall: UnixTime) {
        isHeardOf = true
        lastMessage = wall
        if state.on(message, at: now, wall: wall).isCurrent { isOffline = false }
    }

    mutating func on(_ message: ReportedMessage) {
        isHeardOf = true
        (tuning, configuration) = (GatewayTuning(message), message.status)
    }

    mutating func on(_ health: Health) {
        isHeardOf = true
        state.on(health)
    }

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
        evidence.acceptsUnsyncedClock = acceptsUnsyncedClock
        return evidence.condition
    }

    /// Whether the clock was not set at the last message.
    var isUnsynced: Bool { state.clock == .unsynced }

    /// Whether no message comes: the last numbers are no present ones.
    private var isAbsent: Bool { [.offline, .unknown, .silent].contains(condition) }

    /// A number of the present; `nil` for an absent gateway.
    private func present<Value>(_ value: Value?) -> Value? { isAbsent ? nil : value }

    /// As the API has it; `nil` before the first message.
    private var clock: String? {
        guard let clock = state.clock else { return nil }
        return clock == .unsynced && acceptsUnsyncedClock ? "accepted" : clock.rawValue
    }

    /// The gateway in the API, for the scope `read`.
    ///
    /// - Parameter isConfigured: whether a queue names it.
    func json(_ gateway: String, isConfigured: Bool) -> JSON {
        GatewayOverview(name: gateway, isConfigured: isConfigured, monitor: self).json(for: .read)
    }
}

/// A gateway in the API. An absent one has no present numbers.
struct GatewayOverview: Sendable {
    let name: String
    /// Whether a queue of the configuration names it.
    let isConfigured: Bool
    let monitor: GatewayMonitor

    /// - Parameter scope: clients of the scope `public` do not get its beacon and the versions of its layers.
    func json(for scope: Scope?) -> JSON {
        ((scope ?? .public) >= .read ? Self.members : Self.shown).json(of: self)
    }

    static let members = shown + [tuning]

    private static let shown =
        GatewayMonitor.members + [
            .flag(
                "configured",
                "Whether a queue of the configuration names it. No number counts the sightings of another one."
            ) { $0.isConfigured }.listed(at: 1)
        ]

    private static let tuning = ResultMember<GatewayOverview>.object(
        "tuning",
        "Only with the scope read: the beacon that the gateway is, and the versions of the layers in force; null before the gateway reports them.",
        of: GatewayTuning.members
    ) { $0.monitor.tuning }.nullable.optional
}

extension GatewayMonitor {
    fileprivate static let members: [ResultMember<GatewayOverview>] = [
        .name("gateway") { $0.name },
        .word("state", of: GatewayCondition.ofSubscription.map(\.rawValue)) {
            $0.monitor.condition.rawValue
        },
        .time(
            "since",
            "When the server noticed the state, by its own clock. A restart of the server begins it anew."
        ) { $0.monitor.since }.published(as: .time),
        .number(
            "reportsPerSecond",
            "Of the last window. Null, like clock, delayMs and backlog, while the state is offline, unknown or silent.",
            places: 1
        ) { $0.monitor.present($0.monitor.state.reportsPerSecond) }.nullable,
        .word(
            "clock",
            "accepted: not set, and the site's acceptUnsyncedClocks makes its windows count.",
            of: ["synced", "unsynced", "accepted"]
        ) { $0.monitor.present($0.monitor.clock) }.nullable,
        .milliseconds(
            "delayMs",
            "From the end of a window to its arrival; null while the gateway's clock is not set, or no messages come.",
            atLeast: nil
        ) { $0.monitor.present($0.monitor.state.delay) }.nullable,
        .integer(
            "backlog", "Messages that wait on the gateway; null while no messages come."
        ) { $0.monitor.present($0.monitor.state.health?.outbox.batches) }.nullable,
        .time(
            "certificateExpiresAt",
            "When the gateway's certificate for its broker ends; null without one.", atLeast: 0
        ) { $0.monitor.state.health?.certificateExpiresAt }.nullable,
        .integer("lostMessages", "Declared by the gateway since it started.") {
            $0.monitor.state.lost
        },
        .time("lastMessage", "The arrival of the last message with sightings.", atLeast: 0) {
            $0.monitor.lastMessage
        }.nullable,
    ]
}

/// What a gateway reports of its tuning: the beacon that it is itself, and the layers in force.
struct GatewayTuning {
    private let versions: LayerVersions
    private let radio: ReportedMessage.Radio
    /// What the controller advertises; `nil` for nothing.
    private let beacon: BeaconIdentity?

    init(_ message: ReportedMessage) {
        versions = message.versions
        radio = message.radio
        beacon = radio.advertising ? message.advertised : nil
    }

    static let members: [ResultMember<GatewayTuning>] =
        [
            .text("beacon", "UUID/MAJOR/MINOR; null while it advertises none.") {
                $0.beacon.map { "\($0)" }
            }.nullable,
            .json(
                "intervalMs", "Between two advertisements.",
                as: .schema([
                    .init("type", ["number", "null"]), .init("exclusiveMinimum", 0),
                ])
            ) { $0.radio.intervalMs.map { .number($0) } }.nullable,
            .integer(
                "txPowerDbm", "Null if the controller does not report it.", atLeast: nil
            ) { $0.radio.txPowerDbm }.nullable,
        ]
        + Topics.Layer.allCases.map { layer in
            .integer(layer.rawValue, atLeast: 1) { $0.versions[layer] }.nullable
        }
}

extension ReportedMessage {
    /// The beacon that the gateway advertises by the settings in force; `nil` without one.
    var advertised: BeaconIdentity? {
        guard let advertise = effective["advertise"] else { return nil }
        let settings = try? ObjectReader.decode(advertise, unknownKeys: .areIgnored) {
            AdvertiseSettings(from: &$0)
        }
        return settings?.beacon?.identity
    }
}
