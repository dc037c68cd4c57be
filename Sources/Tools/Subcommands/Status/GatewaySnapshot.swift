import Contract
import Primitives
import Sightings
import Subscriber

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
        isInForce: (Topics.Layer) -> Bool
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
