import CommandSupport
import Contract
import Primitives
import Subscriber

/// Collects the gateways whose status the broker has retained.
struct GatewayDiscovery: TerminalProgram {
    private let root: String
    private(set) var gateways: [(site: String, gateway: String)] = []
    private(set) var deadline: Instant?

    /// The retained messages follow the confirmed subscription.
    private static let collecting = Duration.seconds(2)
    private static let mostGateways = 1000

    init(root: String) { self.root = root }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(.message(let message)):
            guard let (topics, kind) = Topics.parse(message.topic, root: root), kind == .status,
                gateways.count < Self.mostGateways
            else { return [] }
            gateways.append((topics.site, topics.gateway))
            return []
        case .broker(.subscribed):
            deadline = now + Self.collecting
            return []
        case .broker(.failed(let text)): return [.report(text), .exit(.failed)]
        case .noAnswer(let address): return [.report("no answer from \(address); waiting")]
        case .interrupted: return [.exit(.failed)]
        case .tick:
            guard let deadline, deadline <= now else { return [] }
            return [.exit(.done)]
        default: return []
        }
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] { [] }
}
