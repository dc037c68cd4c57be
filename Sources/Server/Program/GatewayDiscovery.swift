import Beacons
import Contract
import JSON
import MQTT
import Primitives
import Subscriber
import Terminal

/// A gateway that the broker knows.
struct DiscoveredGateway: Equatable {
    let site: String
    let name: String
    /// The beacon that the gateway advertises itself.
    var beacon: BeaconIdentity?
}

/// Collects the gateways whose status the broker has retained, and what they report that they advertise.
struct GatewayDiscovery: TerminalProgram {
    private let root: String
    private var found: Set<GatewayName> = []
    private var beacons: [GatewayName: BeaconIdentity] = [:]
    private(set) var deadline: Instant?

    /// The retained messages follow the confirmed subscription.
    private static let collecting = Duration.seconds(2)
    private static let mostGateways = 1000

    init(root: String) { self.root = root }

    /// The topics that `on` reads.
    var filters: [String] { [Topics.Kind.status, .reported].map { Topics.filter($0, root: root) } }

    var gateways: [DiscoveredGateway] {
        found.sorted().map {
            DiscoveredGateway(site: $0.site, name: $0.id, beacon: beacons[$0])
        }
    }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(.message(let message)):
            take(message)
            return []
        case .broker(.subscribed):
            deadline = now + Self.collecting
            return []
        case .broker(.connected(let abilities, _)) where !abilities.retains:
            return [
                .report(
                    "the broker keeps no retained messages, which name the gateways; write the configuration by hand"
                ), .exit(.failed),
            ]
        case .broker(.failed(let text)): return [.report(text), .exit(.failed)]
        case .noAnswer(let address): return [.report("no answer from \(address); waiting")]
        case .interrupted: return [.exit(.failed)]
        case .tick:
            guard let deadline, deadline <= now else { return [] }
            return [.exit(.done)]
        default: return []
        }
    }

    private mutating func take(_ message: Message) {
        guard let (name, kind) = GatewayName.parse(message.topic, root: root) else { return }
        switch kind {
        case .status where found.count < Self.mostGateways: found.insert(name)
        case .reported where beacons.count < Self.mostGateways:
            guard let report = try? ReportedMessage(decoding: message.payload) else { return }
            beacons[name] = report.advertised
        default: break
        }
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] { [] }
}
