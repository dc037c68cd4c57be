import Primitives
import Subscriber

extension Campaign {
    /// Tells of the places that nothing was ever heard of: new ones, or slips.
    mutating func noteUnknownPlaces() {
        let gateways = unknownGateways
        let sites = unknownSites.filter { site in !gateways.contains { $0.site == site } }
        let names = sites + gateways.map(\.description)
        guard !names.isEmpty else { return }
        let outlook =
            switch (sites.count, gateways.count) {
            case _ where order.isRemoving: ""
            case (0, 1): ": it takes this when it first connects"
            case (1, 0): ": its gateways take this when they first connect"
            default: ": they take this when they first connect"
            }
        tell(.note("note: nothing is known of \(names.firstFew) yet\(outlook)"))
    }

    /// Gateways that are tuned or named, in the order of the wishes.
    private var unknownGateways: [GatewayName] {
        let tuned = order.wishes.compactMap { wish in
            wish.name.site.flatMap { site in
                wish.name.gateway.map { GatewayName(site: site, id: $0) }
            }
        }
        var listed: Set<GatewayName> = []
        return (tuned + order.named).filter { name in
            roster.gateways[name]?.isHeardOf != true && listed.insert(name).inserted
        }
    }

    private var unknownSites: [String] {
        let known = Set(roster.gateways.filter(\.value.isHeardOf).map(\.key.site))
        return order.wishes.filter { $0.name.layer == .site }.compactMap(\.name.site)
            .filter { !known.contains($0) }
    }
}

extension [String] {
    /// The first ones, and how many there are besides.
    var firstFew: String {
        let most = 3
        guard count > most else { return joined(separator: ", ") }
        return prefix(most).joined(separator: ", ") + " and \((count - most).grouped) more"
    }
}
