import Subscriber

extension GatewayCondition {
    package var style: StyledLine.Style {
        switch self {
        case .offline, .unknown, .deaf, .refused, .rejected: .bad
        case .degraded, .silent, .unsynced, .backlog, .pending, .behind, .losing, .expiring:
            .warning
        case .online: .good
        }
    }
}
