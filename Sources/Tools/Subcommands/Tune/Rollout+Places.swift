import Primitives
import Subscriber
import Terminal

extension Rollout {
    /// Refuses sites and gateways without any message, with the nearest names: they are misspelled, or new.
    mutating func acceptsPlaces() -> Bool {
        guard !request.createsPlaces, retains else { return true }
        var sentences = unknownGateways.map { name in
            let siblings = knownGateways.filter { $0.site == name.site }.map(\.id)
            return siblings.isEmpty
                ? UnknownName.sentence("gateway \(name)", nearest: name.site, among: knownSites)
                : UnknownName.sentence("gateway \(name)", nearest: name.id, among: siblings)
        }
        sentences += unknownSites.map {
            UnknownName.sentence("site \($0)", nearest: $0, among: knownSites)
        }
        let isNewFleet = request.edits.contains {
            $0.name == LayerName() && retained[$0.name] == nil
        }
        // Without any gateway, one sentence says more than one for each name.
        if knownGateways.isEmpty, isNewFleet || sentences.count > 1 {
            sentences = ["no gateway is known under \(request.root)"]
        }
        guard !sentences.isEmpty else { return true }
        let most = 10
        sentences.prefix(most).forEach { emit(.notice($0)) }
        let others = sentences.count - most
        emit(
            .notice(
                (others > 0 ? "\(others.grouped) more names are unknown; " : "")
                    + "nothing was published; --create is for new sites and gateways"))
        finish(.wrongUse)
        return false
    }

    /// Reports the new sites and gateways.
    mutating func noteNewPlaces() {
        let gateways = unknownGateways
        let sites = unknownSites.filter { site in !gateways.contains { $0.site == site } }
        let names = sites + gateways.map(\.description)
        guard !names.isEmpty, retains else { return }
        let outlook =
            switch (sites.count, gateways.count) {
            case _ where request.mode == .remove: ""
            case (0, 1): ": it takes this when it first connects"
            case (1, 0): ": its gateways take this when they first connect"
            default: ": they take this when they first connect"
            }
        emit(.notice("note: nothing is known of \(names.firstFew) yet\(outlook)"))
    }

    private var knownGateways: [GatewayName] {
        roster.gateways.filter(\.value.isHeardOf).keys.sorted()
    }

    private var knownSites: [String] { Set(knownGateways.map(\.site)).sorted() }

    /// The gateways without a message or a document, in the order of the edits.
    private var unknownGateways: [GatewayName] {
        let edited = request.edits.compactMap { edit in
            edit.name.site.flatMap { site in
                edit.name.gateway.map { GatewayName(site: site, id: $0) }
            }
        }
        var listed: Set<GatewayName> = []
        return (edited + request.named).filter { name in
            roster.gateways[name]?.isHeardOf != true && retained[LayerName(name)] == nil
                && listed.insert(name).inserted
        }
    }

    private var unknownSites: [String] {
        let known = Set(knownSites)
        return request.edits.filter { $0.name.layer == .site && retained[$0.name] == nil }
            .compactMap(\.name.site).filter { !known.contains($0) }
    }
}
