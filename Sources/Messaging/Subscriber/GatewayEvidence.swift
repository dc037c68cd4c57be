import Contract
import Sightings

/// What a reader knows of a gateway. `status`, `watch` and the server decide by it, so that they agree.
package struct GatewayEvidence {
    package var status: StatusMessage.State?
    /// Whether a window of the present session has arrived.
    package var hasWindows = false
    /// Whether the radio receives anything; `nil` if it is unknown.
    package var isHearing: Bool?
    package var clock: ClockState?
    package var configuration: ReportedMessage.Status?
    /// No message has arrived for longer than the reader expects.
    package var isSilent = false
    /// Conditions that the reader decides itself: `backlog`, `pending`, `behind`, `losing`, `expiring`.
    package var others: Set<GatewayCondition> = []

    package init() {}

    /// The most severe condition.
    package var condition: GatewayCondition {
        GatewayCondition.allCases.first(where: holds) ?? .online
    }

    /// Whether a condition holds, also behind a more severe one.
    package func holds(_ condition: GatewayCondition) -> Bool {
        switch condition {
        case .offline: status == .offline
        case .unknown: status == nil && !hasWindows
        case .deaf: isHearing == false
        // Before the first window, messages wait for the clock.
        case .silent: isSilent && (hasWindows || clock != .unsynced)
        case .degraded: status == .degraded
        case .refused: configuration == .refused
        case .rejected: configuration == .rejected
        case .unsynced: clock == .unsynced
        case .backlog, .pending, .behind, .losing, .expiring: others.contains(condition)
        case .online: true
        }
    }
}
