/// A gateway's place in the chain.
package struct GatewayName: Hashable, Comparable {
    package let site: String
    package let id: String

    package init(site: String, id: String) {
        self.site = site
        self.id = id
    }

    package static func < (left: GatewayName, right: GatewayName) -> Bool {
        (left.site, left.id) < (right.site, right.id)
    }
}

extension GatewayName: CustomStringConvertible {
    /// `site/gateway`, which topics allow of plain characters only.
    package var description: String { "\(site)/\(id)" }
}
