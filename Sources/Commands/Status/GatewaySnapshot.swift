import Contract
import Primitives
import Sightings
import Subscriber

/// What the broker's retained messages say of one gateway.
struct GatewaySnapshot {
    let name: GatewayName
    /// The most severe one.
    private(set) var condition = GatewayCondition.online
    let isOffline: Bool
    /// Why a message of it can't be read.
    let objection: String?
    let status: StatusMessage?
    /// `nil` if it is of another run.
    let health: Health?
    let report: GatewayReport?
    /// The versions of the documents on the broker that are not in force.
    let pending: LayerVersions

    /// A younger message is not yet a backlog.
    static let usualWait = Duration.seconds(10)

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
        (isOffline, objection) = (gateway.isOffline, gateway.objection)
        condition = .worst(where: has)
    }

    /// The beginning of the state, or the last sign of life of an offline gateway, in milliseconds since the epoch.
    var since: Int64? {
        condition == .offline
            ? [health?.at, status?.at].compactMap(\.self).max()
            : status.flatMap { $0.clock == .synced ? $0.at : nil }
    }

    /// The messages that wait, if that is a backlog.
    var backlog: (messages: Int, age: Duration)? {
        guard let outbox = health?.outbox, let age = outbox.oldestAgeMs,
            .milliseconds(age) >= Self.usualWait
        else { return nil }
        return (outbox.batches, .milliseconds(age))
    }

    var clock: ClockState? { status?.clock }
}
