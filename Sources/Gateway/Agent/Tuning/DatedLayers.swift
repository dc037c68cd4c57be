import Contract

/// The documents in force, and since when each one is.
package struct DatedLayers: Equatable, Sendable {
    package let documents: Layers
    /// `nil` for a layer without a document, or if the wall clock was not set when it came into force.
    package private(set) var since: LayerTimes

    package init(_ documents: Layers = Layers(), since: LayerTimes = LayerTimes()) {
        self.documents = documents
        self.since = LayerTimes()
        for layer in Topics.Layer.allCases where documents[layer] != nil {
            self.since[layer] = since[layer]
        }
    }
}
