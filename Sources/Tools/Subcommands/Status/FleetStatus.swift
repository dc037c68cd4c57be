import Contract
import Primitives
import Subscriber
import Terminal

/// The state of all gateways, from the retained messages of a broker.
struct FleetStatus {
    let root: String
    private(set) var roster = Roster()
    private var documents: [String: DesiredDocument] = [:]
    /// The whole report of the gateway that the command names.
    private(set) var report: ReportedMessage?
    private let detailed: GatewayName?
    private let acceptsUnsyncedClocks: Bool

    init(root: String, detailed: GatewayName? = nil, acceptsUnsyncedClocks: Bool = false) {
        self.root = root
        self.acceptsUnsyncedClocks = acceptsUnsyncedClocks
        self.detailed = detailed
    }

    mutating func on(topic: String, payload: [UInt8]) {
        guard let (name, kind) = GatewayName.parse(topic, root: root) else {
            // A document of a layer: `Topics.parse` knows what gateways publish.
            documents[topic] = payload.isEmpty ? nil : DesiredDocument(payload)
            return
        }
        roster.on(kind, of: name, payload: payload)
        if kind == .reported, name == detailed {
            report = try? ReportedMessage(decoding: payload)
        }
    }

    mutating func onOversized(topic: String, bytes: Int) {
        guard case (let name, .reported)? = GatewayName.parse(topic, root: root) else { return }
        roster.onOversizedReport(of: name, bytes: bytes)
    }

    var names: [GatewayName] { roster.gateways.keys.sorted() }

    /// The worst first, then by name.
    func snapshots(where isWanted: (GatewayName) -> Bool = { _ in true }) -> [GatewaySnapshot] {
        roster.gateways.keys.filter(isWanted).compactMap(snapshot)
            .sorted { ($0.condition, $0.name) < ($1.condition, $1.name) }
    }

    func snapshot(_ name: GatewayName) -> GatewaySnapshot? {
        guard let gateway = roster.gateways[name] else { return nil }
        var desired = LayerVersions()
        for layer in Topics.Layer.allCases { desired[layer] = document(layer, of: name)?.version }
        return GatewaySnapshot(
            name, gateway, desired: desired, acceptsUnsyncedClock: acceptsUnsyncedClocks
        ) { layer in
            document(layer, of: name)?.isInForce(
                version: gateway.report?.versions[layer], digest: gateway.report?.digests[layer])
                ?? true
        }
    }

    /// The document of a gateway's layer.
    func document(_ layer: Topics.Layer, of name: GatewayName) -> DesiredDocument? {
        let topics = Topics(root: root, site: name.site, gateway: name.id)
        return topics.flatMap { documents[$0.desired(layer)] }
    }
}

/// The last line: how many gateways are in each state.
struct StatusSummary {
    let line: StyledLine

    init(_ snapshots: [GatewaySnapshot]) {
        var line = StyledLine(count(snapshots.count, "gateway"))
        var separator = ": "
        for condition in GatewayCondition.allCases {
            let number = snapshots.count { $0.condition == condition }
            guard number > 0 else { continue }
            line.append(separator)
            line.append("\(number.grouped) \(condition.rawValue)", condition.style)
            separator = ", "
        }
        self.line = line
    }
}
