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

    /// The members of a forecast, after its wait, at the depth where they stand in both schemas.
    static let forecastMembers = [
        #""lowMs": { "description": "The 90 % interval.", "type": "integer", "minimum": 0 },"#,
        #""highMs": { "type": "integer", "minimum": 0 },"#,
        #""learning": { "description": "true: too few past forecasts; the interval is a guess.", "type": "boolean" },"#,
        #""scored": { "description": "Past forecasts that were compared with what then came.", "type": "integer", "minimum": 0 },"#,
        #""meanErrorMs": { "description": "Of the last 200 of them, like the others.", "type": ["integer", "null"], "minimum": 0 },"#,
        #""meanWaitMs": { "type": ["integer", "null"], "minimum": 0 },"#,
        #""inInterval": { "description": "The share whose wait was in the interval.", "type": ["number", "null"] }"#,
    ].joined(separator: "\n        ")
}
