/// The order of the gateways.
enum StatusOrder: String, CaseIterable {
    /// The worst state first, then by name.
    case state
    case name
    /// The fewest reports a second first.
    case reports
    /// The oldest waiting message first.
    case backlog
    /// The certificate that ends first; gateways without one are last.
    case certificate

    static let words = allCases.map(\.rawValue)

    /// The order after this one; the first follows the last.
    var next: StatusOrder {
        let following = Self.allCases.drop { $0 != self }.dropFirst()
        return following.first ?? .state
    }

    /// - Parameter snapshots: in the order of their states.
    func sorted(_ snapshots: [GatewaySnapshot]) -> [GatewaySnapshot] {
        switch self {
        case .state: snapshots
        case .name: snapshots.sorted { $0.name < $1.name }
        case .reports:
            snapshots.sorted {
                let rates = ($0.health?.radio.reportsPerSecond, $1.health?.radio.reportsPerSecond)
                return (rates.0 ?? -1, $0.name) < (rates.1 ?? -1, $1.name)
            }
        case .backlog:
            snapshots.sorted {
                let ages = ($0.health?.outbox.oldestAge, $1.health?.outbox.oldestAge)
                return (ages.1 ?? .zero, $0.name) < (ages.0 ?? .zero, $1.name)
            }
        case .certificate:
            snapshots.sorted {
                let ends = ($0.health?.certificateExpiresAt, $1.health?.certificateExpiresAt)
                return (ends.0 ?? .max, $0.name) < (ends.1 ?? .max, $1.name)
            }
        }
    }
}
