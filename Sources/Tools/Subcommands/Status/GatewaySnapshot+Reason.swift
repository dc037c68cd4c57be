import Contract
import Primitives
import Subscriber

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
            return condition.reason
                + (waiting > 0 ? "; \(count(waiting, "message")) waited" : "")
        case .unknown, .online: return fault ?? condition.reason
        case .deaf: return deafness
        case .refused, .rejected: return report?.faults.first?.phrase ?? condition.reason
        case .backlog: return health?.backlog?.reason ?? condition.reason
        case .expiring: return health?.expiringCertificate?.reason ?? condition.reason
        case .pending:
            let late = Topics.Layer.allCases.compactMap { layer in
                pending[layer].map { "\(layer.rawValue) \($0)" }
            }
            return "\(late.joined(separator: ", ")) \(condition.reason)"
        case .degraded, .silent, .unsynced, .behind, .losing: return condition.reason
        }
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
