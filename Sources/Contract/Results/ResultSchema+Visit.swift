extension ResultSchema {
    /// A visit.
    package static let visit = ResultSchema(
        name: "queue-visit",
        text: #"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Visit",
              "description": "One visit of a queue, as sightline queue writes it: one JSON object a line. It is final.",
              "type": "object",
              "required": ["v", "kind", "site", "queue", "entered", "left", "waitMs", "how", "confidence"],
              "properties": {
                "v": { "const": 1 },
                "kind": { "const": "visit" },
                "site": { "$ref": "common.json#/$defs/name" },
                "queue": { "$ref": "common.json#/$defs/name" },
                "entered": { "description": "When the person joined the line.", "type": "integer" },
                "left": { "description": "When the person left the till, or the line.", "type": "integer" },
                "waitMs": { "description": "From joining to leaving.", "type": "integer", "minimum": 0 },
                "how": { "description": "abandoned: the person left the line without the till; most of those who do are not recognised. unknown: the person was still in line when the gateways fell silent for ten minutes, or when the messages ended. left and waitMs then say how long that is certain.", "enum": ["served", "abandoned", "unknown"] },
                "confidence": {
                  "description": "The probability that this is a visit, and no passer-by who stops near the line.",
                  "type": "number",
                  "minimum": 0,
                  "maximum": 1
                },
                "enteredRange": {
                  "description": "Only if a gateway did not hear around an edge: the earliest and the latest time.",
                  "type": "array",
                  "items": { "type": "integer" },
                  "minItems": 2,
                  "maxItems": 2
                },
                "leftRange": { "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 },
                "beacon": { "description": "Only with --identities: UUID, major and minor.", "type": "string" }
              }
            }

            """#)
}
