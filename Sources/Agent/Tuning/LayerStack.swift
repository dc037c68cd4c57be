import Contract
import JSON

/// All four layers: what the local file has, and the documents over it.
package struct LayerStack: Equatable, Sendable {
    /// The local file's sections, in the shape of the others; no version of it is ever told.
    private var local: LayerDocument
    package var layers: Layers

    package init(local: JSON, layers: Layers = Layers()) {
        self.local = Self.document(local)
        self.layers = layers
    }

    /// The layers' names, the lowest first; `nil` for the local file.
    static let places: [Topics.Layer?] = [nil] + Topics.Layer.allCases

    /// The local file's sections as a document.
    static func document(_ local: JSON) -> LayerDocument { LayerDocument(version: 0, patch: local) }

    /// There is always a local one: to take it away does nothing.
    subscript(layer: Topics.Layer?) -> LayerDocument? {
        get {
            guard let layer else { return local }
            return layers[layer]
        }
        set {
            if let layer { layers[layer] = newValue } else { local = newValue ?? local }
        }
    }

    /// The layers in which these differ from others.
    func differences(from others: LayerStack) -> [Topics.Layer?] {
        Self.places.filter { self[$0] != others[$0] }
    }

    /// What they come to.
    func settings() throws(Faults) -> GatewaySettings { try layers.settings(over: local.patch) }
}
