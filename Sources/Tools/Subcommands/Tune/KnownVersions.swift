import Contract
import Primitives
import Subscriber

/// What gateways report about a layer's document, compared with the broker's document.
struct KnownVersions: Equatable {
    struct Report: Equatable {
        let gateway: GatewayName
        let version: Int64
    }

    /// Gateways that know a later version than the broker: in force, or with faults.
    private(set) var ahead: [Report] = []
    /// Gateways with another document of the broker's version in force.
    private(set) var conflicting: [Report] = []
    /// Gateways whose version is too far above the broker's to be one of its own: these do not count.
    private(set) var implausible: [Report] = []
    /// How many gateways report the layer.
    private(set) var reporting = 0
    /// The highest version, without the implausible ones.
    private(set) var highest: Int64?
    private var all: Set<Int64> = []

    init() {}

    /// - Parameter base: the broker's document; `nil` for none.
    init(of name: LayerName, in roster: Roster, base: RetainedDocument?) {
        let present = base?.version ?? 0
        if let version = base?.version { all.insert(version) }
        for (gateway, report) in roster.reports(of: name) {
            guard let version = report.highest[name.layer] else { continue }
            all.formUnion([version, report.versions[name.layer]].compactMap(\.self))
            reporting += 1
            let entry = Report(gateway: gateway, version: version)
            // The next version must be at most one step above the broker's, or gateways refuse it.
            guard version - present < LayerDocument.largestVersionStep else {
                implausible.append(entry)
                continue
            }
            highest = max(highest ?? 0, version)
            if version > present {
                ahead.append(entry)
            } else if report.versions[name.layer] == present,
                let digest = report.digests[name.layer], digest != base?.digest
            {
                conflicting.append(entry)
            }
        }
    }

    /// The gateway that alone disagrees with the broker, while others agree: it may be compromised.
    var dissenter: GatewayName? {
        let dissenters = ahead + conflicting
        return dissenters.count == 1 && reporting > 1 + implausible.count
            ? dissenters.first?.gateway : nil
    }

    /// Whether a gateway reports the layer.
    var isReported: Bool { highest != nil || !implausible.isEmpty }

    /// The version for a document whose versions begin again: above all that plausible steps from 0 can reach.
    var restart: Int64 {
        all.sorted().reduce(0) { reached, version in
            version - reached < LayerDocument.largestVersionStep ? version : reached
        } + 1
    }
}

extension Roster {
    /// The reports of the gateways that a document concerns, in the order of their names.
    fileprivate func reports(of name: LayerName) -> [(GatewayName, GatewayReport)] {
        let names =
            if let site = name.site, let id = name.gateway {
                [GatewayName(site: site, id: id)]
            } else {
                gateways.keys.filter(name.covers).sorted()
            }
        return names.compactMap { name in gateways[name]?.report.map { (name, $0) } }
    }
}
