import JSON

/// The JSON Schema of a result: the text of a file of `config/contract/schemas`, and a component of the API's description.
package struct ResultSchema: Sendable {
    /// The name of its file without the suffix.
    package let name: String
    package let text: String

    package static let all = [queue, minute, visit, serverStatus]

    package var json: JSON {
        (try? JSON(parsing: Array(text.utf8), maxBytes: 1 << 20, depth: 32)) ?? .null
    }
}
