import Contract
import Subscriber

/// The place of a document: the fleet, a site, or a gateway.
struct LayerName: Hashable {
    let site: String?
    /// `nil` without a site.
    let gateway: String?

    init(site: String? = nil, gateway: String? = nil) {
        self.site = site
        self.gateway = site == nil ? nil : gateway
    }

    init(_ gateway: GatewayName) { self.init(site: gateway.site, gateway: gateway.id) }

    var layer: Topics.Layer { gateway != nil ? .gateway : site != nil ? .site : .fleet }

    func topic(root: String) -> String {
        Topics.desired(root: root, site: site, gateway: gateway)
    }

    /// Whether the document applies to a gateway.
    func covers(_ name: GatewayName) -> Bool {
        (site == nil || site == name.site) && (gateway == nil || gateway == name.id)
    }
}

extension LayerName: CustomStringConvertible {
    var description: String {
        guard let site else { return "the fleet" }
        return gateway.map { "gateway \(site)/\($0)" } ?? "site \(site)"
    }
}
