/// Something that each of the three layers may have: a document, or a version.
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

    /// The layers in which these differ from others.
    package func differences(from others: Self) -> [Topics.Layer] {
        Topics.Layer.allCases.filter { self[$0] != others[$0] }
    }
}
