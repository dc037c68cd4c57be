import CommandSupport
import Primitives
import Subscriber

/// What an operator must know about a gateway, the worst first.
enum GatewayCondition: Int, CaseIterable, Comparable {
    case offline
    case deaf
    /// The controller refused the configuration.
    case refused
    /// A configuration document is invalid or conflicts.
    case rejected
    case degraded
    /// Online, but without messages.
    case silent
    case unsynced
    case behind
    /// Messages or packets were lost.
    case losing
    /// Everything works.
    case hearing

    var isProblem: Bool { self != .hearing }

    /// The gateway's numbers are missing or mean little.
    var hidesNumbers: Bool { self <= .silent }

    static func < (left: GatewayCondition, right: GatewayCondition) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The word in the column STATE, at most nine characters.
    var word: StyledLine.Piece {
        switch self {
        case .offline: .init("offline", .bad)
        case .deaf: .init("DEAF", .bad)
        case .refused: .init("refused", .bad)
        case .rejected: .init("rejected", .bad)
        case .degraded: .init("degraded", .warning)
        case .silent: .init("silent", .warning)
        case .unsynced: .init("no clock", .warning)
        case .behind: .init("behind", .warning)
        case .losing: .init("losing", .warning)
        case .hearing: .init("hearing", .good)
        }
    }
}

extension WatchedGateway {
    /// The reason of the condition, for the rest of the line.
    func reason(at now: Instant) -> String {
        let heard = state.lastMessage.map { "last message \((now - $0).text) ago" }
        switch condition(at: now) {
        case .offline:
            let since = offlineSince.map { "for \((now - $0).text)" }
            return [since ?? "since before this watch", heard].compactMap(\.self)
                .joined(separator: "; ")
        case .deaf:
            let time = state.deafSince.map { " for \((now - $0).text)" } ?? ""
            return "its radio has received nothing\(time)"
        case .refused: return tuning?.fault ?? "its controller refused the configuration"
        case .rejected: return tuning?.fault ?? "a configuration document is invalid"
        case .degraded: return "its radio is deaf or in recovery"
        case .silent: return heard ?? "no message since this watch began"
        case .unsynced: return "its clock is not synchronised: timestamps can be wrong"
        case .behind: return "messages arrive \(state.delay?.text ?? "") late"
        case .losing: return losses
        case .hearing: return state.status == nil ? "its status is unknown" : ""
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
