import JSON
import Primitives

/// A value for each of the three layers; `nil` for a layer without one.
package struct PerLayer<Value: Equatable & Sendable>: Equatable, Sendable {
    package var fleet: Value?
    package var site: Value?
    package var gateway: Value?

    package init(fleet: Value? = nil, site: Value? = nil, gateway: Value? = nil) {
        self.fleet = fleet
        self.site = site
        self.gateway = gateway
    }

    package subscript(layer: Topics.Layer) -> Value? {
        get {
            switch layer {
            case .fleet: fleet
            case .site: site
            case .gateway: gateway
            }
        }
        set {
            switch layer {
            case .fleet: fleet = newValue
            case .site: site = newValue
            case .gateway: gateway = newValue
            }
        }
    }
}

/// The documents of a gateway's layers.
package typealias Layers = PerLayer<LayerDocument>

extension PerLayer<LayerDocument> {
    package var versions: LayerVersions {
        LayerVersions(fleet: fleet?.version, site: site?.version, gateway: gateway?.version)
    }

    package var digests: LayerDigests {
        LayerDigests(fleet: fleet?.digest, site: site?.digest, gateway: gateway?.digest)
    }

    /// Merges the layers over the local file's sections: fleet, then site, then gateway.
    package func settings(over local: JSON) throws(Faults) -> GatewaySettings {
        let merged = Topics.Layer.allCases.reduce(local) { merged, layer in
            self[layer].map { merged.merging($0.patch) } ?? merged
        }
        return try GatewaySettings(merged: merged)
    }
}

/// The versions of the layers' documents.
package typealias LayerVersions = PerLayer<Int64>

/// The digests of the layers' documents.
package typealias LayerDigests = PerLayer<SHA256Digest>

/// Since when the layers' documents are in force, by the gateway's wall clock; `nil` if that clock was not set.
package typealias LayerTimes = PerLayer<UnixTime>

extension PerLayer {
    /// A member for each layer; `null` for a layer without a value.
    func json(_ value: (Value) -> JSON) -> JSON {
        .object(
            Topics.Layer.allCases.map { layer in
                .init(layer.rawValue, self[layer].map(value) ?? .null)
            })
    }

    /// Reads each layer's member with `read`.
    init(
        from reader: inout ObjectReader,
        _ read: (inout ObjectReader, _ key: String) -> Value?
    ) {
        self.init()
        for layer in Topics.Layer.allCases { self[layer] = read(&reader, layer.rawValue) }
    }
}

extension LayerTimes {
    package var json: JSON { json { .integer($0.milliseconds) } }

    package init(from reader: inout ObjectReader) {
        self.init(from: &reader) { reader, key in
            reader.optionalInteger(key, in: 0...Self.latest)
                .map { UnixTime(milliseconds: $0) }
        }
    }

    /// The largest whole number of every JSON reader (RFC 8259, section 6).
    private static var latest: Int64 { 9_007_199_254_740_991 }
}
