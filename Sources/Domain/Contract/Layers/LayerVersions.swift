import JSON

/// The versions of the layers' documents; `nil` where there is none.
package typealias LayerVersions = PerLayer<Int64>

extension PerLayer<Int64> {
    var json: JSON {
        .object(
            Topics.Layer.allCases.map { layer in
                .init(layer.rawValue, self[layer].map { .integer($0) } ?? .null)
            })
    }

    init(from reader: inout ObjectReader) {
        self.init()
        for layer in Topics.Layer.allCases {
            self[layer] = reader.optionalInteger(layer.rawValue, in: LayerDocument.versions)
        }
    }
}
