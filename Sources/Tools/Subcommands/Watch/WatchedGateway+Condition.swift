import Contract
import Primitives
import Subscriber

extension GatewayCondition {
    /// The reason matters more than the gateway's numbers.
    var hidesNumbers: Bool { ![.online, .unsynced, .expiring].contains(self) }
}

extension WatchedGateway {
    /// The most severe condition.
    func condition(at now: Instant) -> GatewayCondition {
        var evidence = state.evidence(at: now)
        evidence.configuration = tuning?.status
        evidence.isSilent = now - (state.lastMessage ?? firstSeen) > longestSilence
        return evidence.condition
    }

    /// The reason of the condition, for the rest of the line.
    func reason(at now: Instant) -> String {
        let condition = condition(at: now)
        switch condition {
        case .offline:
            let since = offlineSince.map { "for \((now - $0).text)" } ?? "since before this watch"
            let last = state.lastMessage.map { "; last message \((now - $0).text) ago" } ?? ""
            return "\(condition.reason) \(since)\(last)"
        case .deaf:
            let silence = deafness(at: now).map { " for \($0.text)" }
            return condition.reason + (silence ?? "")
        case .refused, .rejected: return tuning?.fault ?? condition.reason
        case .silent:
            let since = state.lastMessage.map { "for \((now - $0).text)" }
            return "\(condition.reason) \(since ?? "since this watch began")"
        case .backlog: return state.health?.backlog?.reason ?? condition.reason
        case .behind: return "messages arrive \(state.delay?.text ?? "") late"
        case .losing: return losses
        case .expiring: return state.health?.expiringCertificate?.reason ?? condition.reason
        case .online: return state.status == nil ? "its status is unknown" : ""
        case .unknown, .degraded, .unsynced, .pending: return condition.reason
        }
    }

    /// The time without a report. The gateway can be deaf since before this watch: its health tells.
    private func deafness(at now: Instant) -> Duration? {
        let seen = state.deafSince.map { now - $0 }
        let radio = state.health?.radio
        let reported = radio?.isHearing == false ? radio?.lastReportAge : nil
        return [seen, reported].compactMap(\.self).max()
    }

    /// Everything that was lost during the watch.
    var losses: String {
        var parts: [String] = []
        if state.lost > 0 {
            let reason = state.lostReason.map { " (\($0.printable(limit: 24)))" } ?? ""
            parts.append("lost \(count(state.lost, "message"))\(reason)")
        }
        if state.missed > 0 { parts.append("missed \(count(state.missed, "message"))") }
        if state.dropped > 0 { parts.append("dropped \(count(state.dropped, "packet"))") }
        return parts.joined(separator: ", ")
    }
}
