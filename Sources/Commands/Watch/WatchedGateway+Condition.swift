import Contract
import Primitives
import Subscriber

extension GatewayCondition {
    /// The gateway's numbers are missing or mean little.
    var hidesNumbers: Bool { self <= .silent }
}

extension WatchedGateway {
    /// The most severe condition.
    func condition(at now: Instant) -> GatewayCondition {
        .worst { has($0, at: now) }
    }

    private func has(_ condition: GatewayCondition, at now: Instant) -> Bool {
        switch condition {
        case .offline: isOffline
        case .deaf: state.radio == .deaf
        case .degraded: state.status == .degraded
        case .refused: tuning?.status == .refused
        case .rejected: tuning?.status == .rejected
        case .silent: now - (state.lastMessage ?? firstSeen) > longestSilence
        case .unsynced: state.clock == .unsynced
        case .behind: state.delay.map { $0 > Self.longestDelay } ?? false
        case .losing: lossAt.map { now - $0 < Self.lossShown } ?? false
        case .online: true
        // The first messages of a gateway may be without its status, and a watch reads no documents.
        case .unknown, .backlog, .pending: false
        }
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
            return condition.reason + (state.deafSince.map { " for \((now - $0).text)" } ?? "")
        case .refused, .rejected: return tuning?.fault ?? condition.reason
        case .silent:
            let since = state.lastMessage.map { "for \((now - $0).text)" }
            return "\(condition.reason) \(since ?? "since this watch began")"
        case .behind: return "messages arrive \(state.delay?.text ?? "") late"
        case .losing: return losses
        case .online: return state.status == nil ? "its status is unknown" : ""
        case .unknown, .degraded, .unsynced, .backlog, .pending: return condition.reason
        }
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
