import Contract
import JSON
import Primitives
import Sightings
import Subscriber
import Terminal

/// What the broker's retained messages say of one gateway.
struct GatewaySnapshot {
    let name: GatewayName
    private let evidence: GatewayEvidence
    /// The most severe one.
    let condition: GatewayCondition
    /// Why a message of it can't be read.
    let fault: String?
    let status: StatusMessage?
    /// `nil` if it is of another run.
    let health: Health?
    let report: GatewayReport?
    /// The versions of the documents on the broker that are not in force.
    let pending: LayerVersions

    init(
        _ name: GatewayName, _ gateway: Roster.Gateway, desired: PerLayer<Int64>,
        acceptsUnsyncedClock: Bool, isInForce: (Topics.Layer) -> Bool
    ) {
        self.name = name
        let status = gateway.status
        let health = gateway.health.flatMap { health in
            status.map { $0.session == health.session } ?? true ? health : nil
        }
        let report = gateway.report
        var pending = LayerVersions()
        if report != nil {
            for layer in Topics.Layer.allCases where !isInForce(layer) {
                pending[layer] = desired[layer]
            }
        }
        (self.status, self.health, self.report, self.pending) = (status, health, report, pending)
        fault = gateway.fault
        var evidence = GatewayEvidence()
        // A will of an earlier run says nothing of this one.
        evidence.status = gateway.isOffline || status?.state != .offline ? status?.state : nil
        if status?.state == .degraded { evidence.isHearing = health?.radio.isHearing }
        evidence.clock = status?.clock
        evidence.acceptsUnsyncedClock = acceptsUnsyncedClock
        evidence.configuration = report?.status
        if health?.backlog != nil { evidence.others.insert(.backlog) }
        if health?.expiringCertificate != nil { evidence.others.insert(.expiring) }
        if Topics.Layer.allCases.contains(where: { pending[$0] != nil }) {
            evidence.others.insert(.pending)
        }
        self.evidence = evidence
        condition = evidence.condition
    }

    /// Whether it is in a state, also behind a more severe one.
    func isIn(_ condition: GatewayCondition) -> Bool {
        condition == self.condition || condition != .online && evidence.holds(condition)
    }

    /// From when on the condition is known to hold, or the last sign of life of an offline gateway; `nil`
    /// if no message tells it.
    var since: UnixTime? {
        switch condition {
        case .offline: [health?.at, status?.at].compactMap(\.self).max()
        case .deaf: health.flatMap { $0.time(before: $0.radio.lastReportAge ?? $0.uptime) }
        case .backlog: health.flatMap { $0.time(before: $0.outbox.oldestAge) }
        // The agent writes a status when this state begins, and at each connection.
        case .degraded, .online: status.flatMap { $0.clock == .synced ? $0.at : nil }
        case .unknown, .silent, .refused, .rejected, .unsynced, .pending, .behind, .losing,
            .expiring:
            nil
        }
    }

    var clock: ClockState? { status?.clock }
}

extension Health {
    /// The time `age` before this message, if the gateway's clock was set.
    fileprivate func time(before age: Duration?) -> UnixTime? {
        guard let age, clock.state == .synced else { return nil }
        return at - age
    }
}

extension GatewaySnapshot {
    /// Why it is not `online`, and that its certificate ends soon: a phrase; empty otherwise.
    var reason: String {
        let certificate = condition == .expiring ? nil : health?.expiringCertificate?.reason
        return [conditionReason, certificate ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private var conditionReason: String {
        switch condition {
        case .offline:
            let waiting = health?.outbox.batches ?? 0
            return [
                condition.reason, waiting > 0 ? "\(count(waiting, "message")) waited" : "",
                lateLayers.isEmpty ? "" : "\(lateLayers) not in force",
            ].filter { !$0.isEmpty }.joined(separator: "; ")
        case .unknown, .online: return fault ?? condition.reason
        case .deaf: return deafness
        case .refused, .rejected: return report?.faults.first?.phrase ?? condition.reason
        case .backlog: return health?.backlog?.reason ?? condition.reason
        case .expiring: return health?.expiringCertificate?.reason ?? condition.reason
        case .pending:
            return "\(lateLayers) \(condition.reason)"
        case .degraded, .silent, .unsynced, .behind, .losing: return condition.reason
        }
    }

    /// The documents on the broker that are not in force: `site 7, gateway 3`.
    private var lateLayers: String {
        Topics.Layer.allCases.compactMap { layer in
            pending[layer].map { "\(layer.rawValue) \($0)" }
        }.joined(separator: ", ")
    }

    private var deafness: String {
        let word = GatewayCondition.deaf.reason
        guard let radio = health?.radio else { return word }
        let attempts = radio.steps.gaveUp
        let recovery = attempts > 0 ? "; recovery failed \(count(attempts, "time"))" : ""
        guard let silence = radio.lastReportAge else { return "\(word) since its start" + recovery }
        // A radio that has just been lost is known by its failure, not by its silence.
        return (silence < Health.usualWait ? "its radio is lost" : "\(word) for \(silence.text)")
            + recovery
    }
}

extension GatewaySnapshot {
    /// The object of `--json`, which config/contract/schemas/gateway-status.json describes.
    ///
    /// - Parameter settings: the values in force, of a single gateway.
    func json(settings: [SettingOrigin]? = nil) -> JSON {
        var members: [JSON.Member] = [
            .init("v", 1), .init("site", .string(name.site)), .init("gateway", .string(name.id)),
            .init("state", .string(condition.rawValue)), .init("reason", .string(reason)),
            .init("since", since.map { .integer($0.milliseconds) } ?? .null),
            .init("version", status.map { .string($0.version) } ?? .null),
            .init("clock", clock.map { .string($0.rawValue) } ?? .null),
            .init("inForce", (report?.versions ?? LayerVersions()).object),
            .init("pending", pending.object),
            .init(
                "health",
                health.flatMap { try? JSON(parsing: $0.encoded, maxBytes: Health.maxBytes) }
                    ?? .null),
        ]
        if let settings { members.append(.init("settings", .array(settings.map(\.json)))) }
        return .object(members)
    }
}

extension LayerVersions {
    fileprivate var object: JSON {
        .object(
            Topics.Layer.allCases.map { layer in
                .init(layer.rawValue, self[layer].map { .integer($0) } ?? .null)
            })
    }
}

extension SettingOrigin {
    fileprivate var json: JSON {
        var members: [JSON.Member] = [.init("key", .string(path)), .init("value", value)]
        switch origin {
        case .layer(let layer, let version):
            members += [
                .init("layer", .string(layer.rawValue)), .init("version", .integer(version)),
            ]
        case .local: members.append(.init("layer", "local"))
        case .unknown: members.append(.init("layer", .null))
        }
        return .object(members)
    }
}
