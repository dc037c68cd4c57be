import Contract
import Primitives
import Sightings
import Subscriber

/// What the broker's retained messages say of one gateway.
struct GatewaySnapshot {
    let name: GatewayName
    let condition: GatewayCondition
    /// Why it is not `online`: a phrase; empty otherwise.
    let reason: String
    /// The beginning of the state, or the last sign of life of an offline gateway, in milliseconds since the epoch.
    let since: Int64?
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
        let verdict = Self.verdict(
            status, isOffline: gateway.isOffline, health, report, gateway.objection, pending)
        (condition, reason) = verdict
        since =
            verdict.condition == .offline
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

    private static func verdict(
        _ status: StatusMessage?, isOffline: Bool, _ health: Health?, _ report: GatewayReport?,
        _ objection: String?, _ pending: LayerVersions
    ) -> (condition: GatewayCondition, reason: String) {
        guard let status else { return (.unknown, objection ?? "it has published no status") }
        if isOffline {
            let waiting = health.map(\.outbox.batches) ?? 0
            let rest = waiting > 0 ? "; \(count(waiting, "message")) waited" : ""
            return (.offline, "not connected\(rest)")
        }
        if status.state == .degraded {
            return health?.radio.isHearing == false
                ? (.deaf, deafness(health)) : (.degraded, "a fault of its radio: see its log")
        }
        if let report, report.status != .applied {
            let fault = report.faults.first
            return (
                report.status == .refused ? .refused : .rejected,
                fault.map(\.phrase) ?? "a document is not in force"
            )
        }
        if status.clock != .synced { return (.unsynced, "its clock is not set") }
        if let outbox = health?.outbox, let age = outbox.oldestAgeMs,
            .milliseconds(age) >= usualWait
        {
            let place = outbox.stored > 0 ? "" : ", none on its disk"
            return (
                .backlog,
                "\(count(outbox.batches, "message")), the oldest"
                    + " \(Duration.milliseconds(age).text)\(place)"
            )
        }
        let late = Topics.Layer.allCases.compactMap { layer in
            pending[layer].map { "\(layer.rawValue) \($0)" }
        }
        guard late.isEmpty else {
            return (.pending, "\(late.joined(separator: ", ")) not in force yet")
        }
        return (.online, objection ?? "")
    }

    private static func deafness(_ health: Health?) -> String {
        guard let radio = health?.radio else { return "its radio receives nothing" }
        let attempts = radio.steps.gaveUp
        let recovery = attempts > 0 ? "; recovery failed \(count(attempts, "time"))" : ""
        guard let age = radio.lastReportAgeMs else { return "no report since its start" + recovery }
        // A radio that has just been lost is known by its failure, not by its silence.
        let silence = Duration.milliseconds(age)
        return (silence < usualWait ? "its radio is lost" : "no report for \(silence.text)")
            + recovery
    }
}

extension LayerFault {
    /// The layer, the place and the reason, printable.
    var phrase: String {
        let owner = layer.map { "\($0.rawValue)\(version.map { " \($0)" } ?? "")" } ?? "local file"
        let place = fault.pointer.description
        let words = [owner, place, fault.message].filter { !$0.isEmpty }
        return words.joined(separator: ": ").printable(limit: 300)
    }
}
