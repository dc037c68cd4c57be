import Contract
import Sightings

/// What an operator must know about a gateway, the worst first. A raw value is the word that commands print.
package enum GatewayCondition: String, CaseIterable, Comparable {
    case offline
    /// It has messages on the broker, but no status.
    case unknown
    /// The radio receives nothing.
    case deaf
    /// It is online, but no message arrives.
    case silent
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
    /// Messages arrive late.
    case behind
    /// Messages or packets were lost.
    case losing
    /// The certificate has ended or ends soon: the next connection may fail.
    case expiring
    case online

    /// The conditions that retained messages show. The others need a subscription of some time.
    package static let ofRetained = allCases.filter { ![.silent, .behind, .losing].contains($0) }
    /// The conditions that a subscription to gateways shows. The other one needs the documents on the broker.
    package static let ofSubscription = allCases.filter { $0 != .pending }

    /// Whether an operator must act, or wait.
    package var needsAttention: Bool { self != .online }

    /// The reason as a phrase, without the figures that a command may know.
    package var reason: String {
        switch self {
        case .offline: "not connected"
        case .unknown: "it has published no status"
        case .deaf: "no report"
        case .silent: "no message"
        case .degraded: "a fault of its radio: see its log"
        case .refused: "its controller refused the configuration"
        case .rejected: "a document is not in force"
        case .unsynced: "its clock is not set"
        case .backlog: "messages wait"
        case .pending: "not in force yet"
        case .behind: "messages arrive late"
        case .losing: "messages or packets were lost"
        case .expiring: "certificate ends soon"
        case .online: ""
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A change of a gateway's state that an operator should see once.
package enum GatewayChange: Equatable {
    case online(version: String)
    /// The gateway reports a problem with its radio.
    case degraded
    /// The end of `degraded`.
    case recovered
    case offline
    /// Messages of a new session arrive.
    case newSession
    /// The radio receives nothing.
    case deaf
    /// The end of `deaf`.
    case hearing
    case clock(ClockState)
    /// Messages that the gateway has dropped, with its reason.
    case lost(UInt64, reason: String)
    /// Messages that did not arrive, without a declared loss.
    case missed(UInt64)
    /// Packets that the gateway's kernel has dropped.
    case dropped(Int)

    /// The gateway says that messages or packets are lost.
    var isDeclaredLoss: Bool {
        switch self {
        case .lost, .dropped: true
        default: false
        }
    }
}

/// A gateway's place in the chain.
package struct GatewayName: Hashable, Comparable {
    package let site: String
    package let id: String

    package init(site: String, id: String) {
        self.site = site
        self.id = id
    }

    /// The gateway and the kind of a message on `topic`; `nil` for other topics.
    package static func parse(
        _ topic: String, root: String
    ) -> (name: GatewayName, kind: Topics.Kind)? {
        Topics.parse(topic, root: root).map {
            (GatewayName(site: $0.0.site, id: $0.0.gateway), $0.1)
        }
    }

    package static func < (left: GatewayName, right: GatewayName) -> Bool {
        (left.site, left.id) < (right.site, right.id)
    }
}

extension GatewayName: CustomStringConvertible {
    /// `site/gateway`, which topics allow of plain characters only.
    package var description: String { "\(site)/\(id)" }
}
