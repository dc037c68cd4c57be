import JSON

/// The documents of a gateway's three layers; `nil` where there is none.
package typealias Layers = PerLayer<LayerDocument>

extension PerLayer<LayerDocument> {
    package var versions: LayerVersions {
        LayerVersions(fleet: fleet?.version, site: site?.version, gateway: gateway?.version)
    }

    /// What they come to over the lowest layer, the local file's: fleet, then site, then gateway has the last word.
    package func settings(over local: JSON) throws(Faults) -> GatewaySettings {
        var merged = local
        for document in [fleet, site, gateway] {
            if let document { merged = merged.merging(document.patch) }
        }
        return try GatewaySettings(merged: merged)
    }
}
