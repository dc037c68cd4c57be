extension ResultSchema {
    /// The state of a server.
    package static let serverStatus = ResultSchema(
        name: "server-status",
        text: #"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "State of a server",
              "description": "Retained. The will says offline. Subscribers must ignore unknown members.",
              "type": "object",
              "required": ["v", "state", "version", "session", "durable"],
              "properties": {
                "v": { "const": 1 },
                "state": { "enum": ["online", "offline"] },
                "version": { "description": "The server's version.", "type": "string" },
                "session": { "$ref": "common.json#/$defs/session" },
                "durable": { "description": "false: the disk does not work, and results are in memory only. null in the will: the broker does not know it.", "type": ["boolean", "null"] }
              }
            }

            """#)
}
