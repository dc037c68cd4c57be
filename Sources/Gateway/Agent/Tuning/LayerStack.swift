import Contract
import JSON

/// All four layers of a gateway: the sections of the local file, and the documents above it.
package struct LayerStack: Equatable, Sendable {
    /// The local file's sections as a document; reports omit its version.
    private var local: LayerDocument
    package var layers: Layers

    package init(local: JSON, layers: Layers = Layers()) {
        self.local = Self.document(local)
        self.layers = layers
    }

    /// The layers from the lowest to the highest; `nil` is the local file.
    static let order: [Topics.Layer?] = [nil] + Topics.Layer.allCases

    /// The local file's sections as a document.
    static func document(_ local: JSON) -> LayerDocument { LayerDocument(version: 0, patch: local) }

    /// The document of a layer. The local file's document can be replaced, but not removed.
    subscript(layer: Topics.Layer?) -> LayerDocument? {
        get {
            guard let layer else { return local }
            return layers[layer]
        }
        set {
            if let layer { layers[layer] = newValue } else { local = newValue ?? local }
        }
    }

    /// The layers whose documents differ from those of another stack.
    func differences(from others: LayerStack) -> [Topics.Layer?] {
        Self.order.filter { self[$0] != others[$0] }
    }

    /// The effective settings; throws every conflict between the layers.
    func settings() throws(Faults) -> GatewaySettings { try layers.settings(over: local.patch) }
}
