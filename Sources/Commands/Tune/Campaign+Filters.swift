import Contract

extension Campaign.Order {
    /// What to subscribe to: the documents, and what the gateways that they concern say.
    var filters: [String] {
        if wishes.count == 1, let name = wishes.first?.name, named.allSatisfy(name.covers) {
            return [name.topic(root: root)]
                + [Topics.Kind.reported, .status].map {
                    Topics.filter($0, root: root, site: name.site, gateway: name.gateway)
                }
        }
        // A plan: site by site, so that each answer is small.
        return Set(wishes.compactMap(\.name.site) + named.map(\.site)).sorted().flatMap { site in
            [
                Topics.desired(root: root, site: site),
                Topics.desired(root: root, site: site, gateway: "+"),
                Topics.filter(.reported, root: root, site: site),
                Topics.filter(.status, root: root, site: site),
            ]
        }
    }
}
