import Contract
import Primitives
import Subscriber

extension GatewaySnapshot {
    func has(_ condition: GatewayCondition) -> Bool {
        switch condition {
        case .offline: isOffline
        case .unknown: status == nil
        case .deaf: status?.state == .degraded && health?.radio.isHearing == false
        case .degraded: status?.state == .degraded
        case .refused: report?.status == .refused
        case .rejected: report.map { $0.status != .applied } ?? false
        case .unsynced: status?.clock != .synced
        case .backlog: backlog != nil
        case .pending: Topics.Layer.allCases.contains { pending[$0] != nil }
        case .online: true
        // Retained messages do not show them.
        case .silent, .behind, .losing: false
        }
    }

    /// Why it is not `online`: a phrase; empty otherwise.
    var reason: String {
        switch condition {
        case .offline:
            let waiting = health?.outbox.batches ?? 0
            return condition.reason
                + (waiting > 0 ? "; \(count(waiting, "message")) waited" : "")
        case .unknown, .online: return objection ?? condition.reason
        case .deaf: return deafness
        case .refused, .rejected: return report?.faults.first?.phrase ?? condition.reason
        case .backlog:
            guard let backlog else { return condition.reason }
            let place = health.map { $0.outbox.stored > 0 } ?? true ? "" : ", none on its disk"
            return "\(count(backlog.messages, "message")), the oldest \(backlog.age.text)\(place)"
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
        guard let age = radio.lastReportAgeMs else { return "\(word) since its start" + recovery }
        // A radio that has just been lost is known by its failure, not by its silence.
        let silence = Duration.milliseconds(age)
        return (silence < Self.usualWait ? "its radio is lost" : "\(word) for \(silence.text)")
            + recovery
    }
}
