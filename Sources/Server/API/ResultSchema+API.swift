import Contract
import JSON
import Subscriber

extension ResultSchema {
    /// The components of the API that are no messages.
    static let api =
        (try? JSON(parsing: Array(apiText.utf8), maxBytes: 1 << 20, depth: 32)) ?? .object([])

    private static let gatewayStates =
        GatewayCondition.ofSubscription.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")

    private static let apiText = #"""
        {
          "name": { "type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$" },
          "time": { "description": "Milliseconds since 1970, UTC.", "type": "integer", "minimum": 0 },
          "Problem": {
            "type": "object",
            "required": ["type", "title", "status", "detail"],
            "properties": {
              "type": { "type": "string" },
              "title": { "type": "string" },
              "status": { "type": "integer", "minimum": 400, "maximum": 599 },
              "detail": { "description": "The fault and its remedy.", "type": "string" },
              "instance": { "type": "string" }
            }
          },
          "Sites": {
            "type": "object",
            "required": ["sites"],
            "properties": {
              "sites": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["site", "queues", "gateways"],
                  "properties": {
                    "site": { "$ref": "#/components/schemas/name" },
                    "queues": { "type": "array", "items": { "$ref": "#/components/schemas/name" } },
                    "gateways": { "type": "array", "items": { "$ref": "#/components/schemas/name" } }
                  }
                }
              }
            }
          },
          "Queues": {
            "type": "object",
            "required": ["queues"],
            "properties": { "queues": { "type": "array", "items": { "$ref": "#/components/schemas/Queue" } } }
          },
          "Gateways": {
            "type": "object",
            "required": ["gateways"],
            "properties": {
              "gateways": {
                "description": "Worst first.",
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["gateway", "state", "since", "reportsPerSecond", "clock", "delayMs", "backlog", "lostMessages", "lastMessage", "tuning"],
                  "properties": {
                    "site": { "$ref": "#/components/schemas/name" },
                    "gateway": { "$ref": "#/components/schemas/name" },
                    "state": { "enum": [\#(gatewayStates)] },
                    "since": { "$ref": "#/components/schemas/time" },
                    "reportsPerSecond": { "type": "number", "minimum": 0 },
                    "clock": { "enum": ["synced", "unsynced", null] },
                    "delayMs": { "description": "From the end of a window to its arrival.", "type": ["integer", "null"] },
                    "backlog": { "description": "Messages that wait on the gateway.", "type": ["integer", "null"], "minimum": 0 },
                    "lostMessages": { "type": "integer", "minimum": 0 },
                    "lastMessage": { "type": ["integer", "null"], "minimum": 0 },
                    "tuning": { "description": "The versions of the layers in force.", "type": ["object", "null"] }
                  }
                }
              }
            }
          },
          "Period": {
            "type": "object",
            "required": ["start", "end", "knownMs", "lengthMs", "state", "length", "joined", "served", "abandoned", "waits", "forecast", "overTargetMs"],
            "properties": {
              "start": { "$ref": "#/components/schemas/time" },
              "end": { "$ref": "#/components/schemas/time" },
              "knownMs": { "type": "integer", "minimum": 0 },
              "lengthMs": { "type": "integer", "minimum": 0 },
              "state": { "enum": ["ok", "degraded", "unknown"] },
              "length": { "type": ["object", "null"] },
              "joined": { "type": ["integer", "null"] },
              "served": { "type": ["integer", "null"] },
              "abandoned": { "type": ["integer", "null"] },
              "waits": { "type": ["object", "null"] },
              "forecast": { "type": ["object", "null"] },
              "overTargetMs": { "type": ["integer", "null"] }
            }
          },
          "History": {
            "type": "object",
            "required": ["site", "queue", "step", "from", "to", "periods"],
            "properties": {
              "site": { "$ref": "#/components/schemas/name" },
              "queue": { "$ref": "#/components/schemas/name" },
              "step": { "enum": ["minute", "hour", "day"] },
              "from": { "$ref": "#/components/schemas/time" },
              "to": { "$ref": "#/components/schemas/time" },
              "periods": {
                "description": "Minutes, with the first published values as restated where they have changed; else hours or days.",
                "type": "array",
                "items": { "anyOf": [{ "$ref": "#/components/schemas/Minute" }, { "$ref": "#/components/schemas/Period" }] }
              }
            }
          },
          "Visits": {
            "type": "object",
            "required": ["visits"],
            "properties": { "visits": { "type": "array", "items": { "$ref": "#/components/schemas/Visit" } } }
          },
          "Evidence": {
            "type": "object",
            "required": ["gateways"],
            "properties": {
              "gateways": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["gateway", "role", "runs"],
                  "properties": {
                    "gateway": { "$ref": "#/components/schemas/name" },
                    "role": { "enum": ["entry", "till", "along"] },
                    "runs": {
                      "description": "From, to and state: heard, empty, learning, deaf, lost or unknown.",
                      "type": "array",
                      "items": { "type": "array", "minItems": 3, "maxItems": 3 }
                    }
                  }
                }
              },
              "truth": {
                "description": "Time and people in line, only of a demonstration with a simulation's truth.",
                "type": "array",
                "items": { "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 }
              },
              "windows": {
                "description": "With windows=yes; 10,000 at most.",
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["gateway", "start", "end", "state", "tags", "reports"],
                  "properties": {
                    "gateway": { "$ref": "#/components/schemas/name" },
                    "start": { "$ref": "#/components/schemas/time" },
                    "end": { "$ref": "#/components/schemas/time" },
                    "state": { "enum": ["hearing", "deaf"] },
                    "tags": { "type": "integer", "minimum": 0 },
                    "reports": { "type": "integer", "minimum": 0 }
                  }
                }
              }
            }
          },
          "Typical": {
            "type": "object",
            "required": ["weekday", "slots"],
            "properties": {
              "weekday": { "type": "integer", "minimum": 1, "maximum": 7 },
              "slots": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["startMinute", "samples", "p25Ms", "medianMs", "p75Ms", "length"],
                  "properties": {
                    "startMinute": { "type": "integer", "minimum": 0, "maximum": 1439 },
                    "samples": { "type": "integer", "minimum": 0 },
                    "p25Ms": { "type": ["integer", "null"] },
                    "medianMs": { "type": ["integer", "null"] },
                    "p75Ms": { "type": ["integer", "null"] },
                    "length": { "type": ["number", "null"] }
                  }
                }
              }
            }
          },
          "Description": { "type": "object" }
        }

        """#
}
