/// The most serious fact about a gateway, the worst first.
enum GatewayCondition: String, CaseIterable {
    case offline
    /// It has messages on the broker, but no status.
    case unknown
    /// The radio receives nothing.
    case deaf
    /// A known fault of the radio.
    case degraded
    /// The controller refuses the configuration.
    case refused
    /// A document is invalid, or conflicts with another one.
    case rejected
    /// The clock is not set.
    case unsynced
    /// The broker has not acknowledged messages for some time.
    case backlog
    /// A document on the broker is not in force.
    case pending
    case online

    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Whether an operator must act, or wait.
    var needsAttention: Bool { self != .online }

    static let words = allCases.map(\.rawValue)
}
