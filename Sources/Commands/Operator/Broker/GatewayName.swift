/// A gateway's place in the chain.
struct GatewayName: Hashable, Comparable {
    let site: String
    let id: String

    static func < (left: GatewayName, right: GatewayName) -> Bool {
        (left.site, left.id) < (right.site, right.id)
    }
}

extension GatewayName: CustomStringConvertible {
    /// `site/gateway`, which topics allow of plain characters only.
    var description: String { "\(site)/\(id)" }
}
