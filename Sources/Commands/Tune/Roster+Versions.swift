import Contract
import Subscriber

extension Roster {
    /// The highest version of a layer that a gateway reports, and that gateway.
    func highestVersion(of name: LayerName) -> (version: Int64, gateway: GatewayName)? {
        var highest: (version: Int64, gateway: GatewayName)?
        func look(_ gateway: GatewayName) {
            guard let version = gateways[gateway]?.report?.highest[name.layer],
                version > highest?.version ?? 0
            else { return }
            highest = (version, gateway)
        }
        if let site = name.site, let id = name.gateway {
            look(GatewayName(site: site, id: id))
        } else {
            gateways.keys.filter(name.covers).sorted().forEach(look)
        }
        return highest
    }
}
