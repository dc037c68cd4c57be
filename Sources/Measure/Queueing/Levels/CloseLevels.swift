import Facts

/// The close levels of a site's gateways.
///
/// Gateways of one role share their tags: each tag counts at the one that heard it loudest. Alone, a till that serves
/// few visitors would take passers-by for the tags next to it.
struct CloseLevels {
    private(set) var gateways: [CloseLevel]
    /// Those that share a role with each gateway, itself included.
    private let peers: [[GatewayIndex]]
    /// dBm, by gateway.
    private let surveyed: [Double?]
    /// dBm.
    private var values: [Double] = []

    /// - Parameter surveyed: dBm, by gateway; `nil` of one without a survey.
    init(_ gateways: [CloseLevel], surveyed: [Double?]? = nil, roles: [QueueRoles]) {
        self.gateways = gateways
        self.surveyed = surveyed ?? gateways.map { _ in nil }
        let shared = roles.flatMap { [$0.entry, $0.till, $0.along] }
        peers = GatewayIndex.all(of: gateways).map { gateway in
            Set(shared.filter { $0.contains(gateway) }.joined()).union([gateway]).sorted()
        }
        update(present: [])
    }

    /// dBm, as of the last `update`.
    subscript(gateway: GatewayIndex) -> Double { values[gateway] }

    /// Adds a tag that has left, by its loudest second at each gateway.
    mutating func add(_ powers: [Double?], at second: UnixSecond) {
        for gateway in GatewayIndex.all(of: gateways) {
            guard let power = loudest(powers, at: gateway) else { continue }
            gateways[gateway].add(power, at: second)
        }
    }

    /// - Parameter present: the tags that have not left yet.
    mutating func update(present: [[Double?]]) {
        let counts = GatewayIndex.all(of: gateways).map { gateway in
            gateways[gateway].counts(present: present.compactMap { loudest($0, at: gateway) })
        }
        values = GatewayIndex.all(of: gateways).map { gateway in
            CloseLevel.value(
                (0..<CloseLevel.bins).map { bin in
                    peers[gateway].reduce(0) { $0 + counts[$1][bin] }
                }, surveyed: surveyed[gateway])
        }
    }

    /// The power of a tag at the gateway, unless another one of its role heard the tag louder.
    private func loudest(_ powers: [Double?], at gateway: GatewayIndex) -> Double? {
        guard let power = powers[gateway],
            !peers[gateway].contains(where: { powers[$0] ?? power > power })
        else { return nil }
        return power
    }
}
