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
          "name": { "type": "string", "pattern": "^(?!\\.+$)[A-Za-z0-9._-]{1,64}$" },
          "time": { "description": "Milliseconds since 1970, UTC.", "type": "integer", "minimum": 0 },
          "Problem": {
            "type": "object",
            "required": ["type", "title", "status", "detail"],
            "properties": {
              "type": { "type": "string" },
              "title": { "type": "string" },
              "status": { "type": "integer", "minimum": 400, "maximum": 599 },
              "detail": { "description": "The fault and its remedy.", "type": "string" },
              "instance": { "type": "string" },
              "keptFrom": { "description": "The time from which visits are kept, where those of the requested time are removed.", "type": "integer" }
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
                  "required": ["site", "timeZone", "day", "queues", "gateways"],
                  "properties": {
                    "site": { "$ref": "#/components/schemas/name" },
                    "timeZone": { "description": "The zone of the server's clock, such as Europe/Berlin; null if it has no such name.", "type": ["string", "null"] },
                    "day": {
                      "description": "The site's present day, from 04:00 to 04:00 by the server's clock.",
                      "type": "object",
                      "required": ["start", "end"],
                      "properties": {
                        "start": { "$ref": "#/components/schemas/time" },
                        "end": { "$ref": "#/components/schemas/time" }
                      }
                    },
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
                "items": { "$ref": "#/components/schemas/Gateway" }
              }
            }
          },
          "Gateway": {
            "type": "object",
            "required": ["gateway", "configured", "state", "since", "reportsPerSecond", "clock", "delayMs", "backlog", "lostMessages", "lastMessage"],
            "properties": {
              "gateway": { "$ref": "#/components/schemas/name" },
              "configured": { "description": "Whether a queue of the configuration names it. No number counts the sightings of another one.", "type": "boolean" },
              "state": { "enum": [\#(gatewayStates)] },
              "since": { "description": "When the server noticed the state, by its own clock. A restart of the server begins it anew.", "$ref": "#/components/schemas/time" },
              "reportsPerSecond": { "description": "Of the last window. Null, like clock, delayMs and backlog, while the state is offline, unknown or silent.", "type": ["number", "null"], "minimum": 0 },
              "clock": { "description": "accepted: not set, and the site's acceptUnsyncedClocks makes its windows count.", "enum": ["synced", "unsynced", "accepted", null] },
              "delayMs": { "description": "From the end of a window to its arrival; null while the gateway's clock is not set, or no messages come.", "type": ["integer", "null"] },
              "backlog": { "description": "Messages that wait on the gateway; null while no messages come.", "type": ["integer", "null"], "minimum": 0 },
              "lostMessages": { "description": "Declared by the gateway since it started.", "type": "integer", "minimum": 0 },
              "lastMessage": { "description": "The arrival of the last message with sightings.", "type": ["integer", "null"], "minimum": 0 },
              "tuning": {
                "description": "Only with the scope read: the beacon that the gateway is, and the versions of the layers in force; null before the gateway reports them.",
                "type": ["object", "null"],
                "required": ["beacon", "intervalMs", "txPowerDbm", "fleet", "site", "gateway"],
                "properties": {
                  "beacon": { "description": "UUID/MAJOR/MINOR; null while it advertises none.", "type": ["string", "null"] },
                  "intervalMs": { "description": "Between two advertisements.", "type": ["number", "null"], "exclusiveMinimum": 0 },
                  "txPowerDbm": { "description": "Null if the controller does not report it.", "type": ["integer", "null"] },
                  "fleet": { "type": ["integer", "null"], "minimum": 1 },
                  "site": { "type": ["integer", "null"], "minimum": 1 },
                  "gateway": { "type": ["integer", "null"], "minimum": 1 }
                }
              }
            }
          },
          "Server": {
            "type": "object",
            "required": ["version", "session", "connected", "durable", "truth", "startingPercent"],
            "properties": {
              "version": { "type": "string" },
              "session": { "description": "One run of the server.", "type": "string" },
              "connected": { "description": "Whether the broker has accepted the server's connection.", "type": "boolean" },
              "durable": { "description": "false: the server cannot store results, and a restart loses them.", "type": "boolean" },
              "truth": { "description": "Whether the server has the truth of a simulation.", "type": "boolean" },
              "startingPercent": { "description": "The part of the day that the server has read from its store; null after the start.", "type": ["integer", "null"], "minimum": 0, "maximum": 100 }
            }
          },
          "Snapshot": {
            "description": "All that the other events then change.",
            "type": "object",
            "required": ["server", "queues", "gateways"],
            "properties": {
              "server": { "$ref": "#/components/schemas/Server" },
              "queues": { "type": "array", "items": { "$ref": "#/components/schemas/Queue" } },
              "gateways": { "type": "array", "items": { "$ref": "#/components/schemas/Gateway" } },
              "truth": {
                "description": "Only with the truth of a simulation: by queue, pairs of time and people of the last half hour.",
                "type": "object",
                "additionalProperties": { "type": "array", "items": { "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 } }
              }
            }
          },
          "Truth": {
            "description": "What a simulation says: people in line from a time on.",
            "type": "object",
            "required": ["queue", "at", "people"],
            "properties": {
              "queue": { "$ref": "#/components/schemas/name" },
              "at": { "$ref": "#/components/schemas/time" },
              "people": { "type": "integer", "minimum": 0 }
            }
          },
          "Period": {
            "type": "object",
            "required": ["start", "end", "knownMs", "lengthMs", "state", "length", "joined", "served", "abandoned", "waits", "scores", "overTargetMs"],
            "properties": {
              "start": { "$ref": "#/components/schemas/time" },
              "end": { "$ref": "#/components/schemas/time" },
              "knownMs": { "description": "Of the minutes that have numbers: milliseconds in which entry and till were certainly both heard.", "type": "integer", "minimum": 0 },
              "lengthMs": { "type": "integer", "minimum": 0 },
              "state": { "enum": ["ok", "degraded", "unknown"] },
              "length": {
                "description": "Tags in line, over the known time.",
                "type": ["object", "null"],
                "required": ["mean", "max"],
                "properties": { "mean": { "type": ["number", "null"], "minimum": 0 }, "max": { "type": "integer", "minimum": 0 } }
              },
              "joined": { "description": "Tags; people without a beacon are not counted.", "type": ["integer", "null"] },
              "served": { "description": "Tags, like joined.", "type": ["integer", "null"] },
              "abandoned": { "description": "Tags, like joined. Those who gave up, as far as they are recognised: few are.", "type": ["integer", "null"] },
              "waits": {
                "allOf": [
                  { "$ref": "#/components/schemas/Waits" },
                  {
                    "type": ["object", "null"],
                    "required": ["medianLowMs", "medianHighMs", "p90LowMs", "p90HighMs"],
                    "properties": {
                      "medianLowMs": { "description": "The 90 % interval of the median of all who were served, whatever their number; null where too few waits are known.", "type": ["integer", "null"], "minimum": 0 },
                      "medianHighMs": { "type": ["integer", "null"], "minimum": 0 },
                      "p90LowMs": { "description": "The same of p90Ms.", "type": ["integer", "null"], "minimum": 0 },
                      "p90HighMs": { "type": ["integer", "null"], "minimum": 0 }
                    }
                  }
                ]
              },
              "scores": { "$ref": "#/components/schemas/Scores" },
              "overTargetMs": { "description": "Milliseconds in which the forecast was above the target of the queue; null without a forecast or a target.", "type": ["integer", "null"] }
            }
          },
          "StoredMinute": {
            "allOf": [{ "$ref": "#/components/schemas/Minute" }],
            "properties": {
              "restated": {
                "description": "The first published values, if later ones differ.",
                "type": "object",
                "required": ["rev", "people", "waitMs"],
                "properties": {
                  "rev": { "type": "integer", "minimum": 1 },
                  "people": { "type": ["number", "null"], "minimum": 0 },
                  "waitMs": { "type": ["integer", "null"], "minimum": 0 },
                  "served": { "type": ["integer", "null"], "minimum": 0 },
                  "abandoned": { "type": ["integer", "null"], "minimum": 0 },
                  "medianMs": { "description": "The median wait.", "type": ["integer", "null"], "minimum": 0 },
                  "reasons": { "description": "A gateway that was unknown for a longer time than now has sent the rest later.", "$ref": "#/components/schemas/Minute/properties/reasons" }
                }
              }
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
                "description": "Minutes; with step, hours or days.",
                "type": "array",
                "items": { "anyOf": [{ "$ref": "#/components/schemas/StoredMinute" }, { "$ref": "#/components/schemas/Period" }] }
              }
            }
          },
          "Visits": {
            "type": "object",
            "required": ["keptFrom", "visits", "provisional", "truncated"],
            "properties": {
              "keptFrom": { "description": "The time from which visits are kept.", "type": "integer" },
              "visits": { "description": "10,000 at most, the first ones.", "type": "array", "items": { "$ref": "#/components/schemas/Visit" } },
              "provisional": { "description": "Visits of the last hour that later messages can still change.", "type": "array", "items": { "$ref": "#/components/schemas/Visit" } },
              "truncated": { "description": "Whether there are more.", "type": "boolean" }
            }
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
                "description": "With windows=yes; 10,000 at most, the first ones.",
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
              },
              "truncated": { "description": "With windows=yes: whether there are more windows.", "type": "boolean" }
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
                  "required": ["startMinute", "samples", "medianMs", "p90Ms", "length"],
                  "properties": {
                    "startMinute": { "type": "integer", "minimum": 0, "maximum": 1439 },
                    "samples": { "description": "The days with waits in this slot.", "type": "integer", "minimum": 0 },
                    "medianMs": { "description": "The median of all their waits; null without waits.", "type": ["integer", "null"] },
                    "p90Ms": { "description": "The wait that one in ten of them exceeded.", "type": ["integer", "null"] },
                    "length": { "description": "The mean of the days' mean lengths; null if nothing is known.", "type": ["number", "null"] }
                  }
                }
              }
            }
          },
          "Description": { "type": "object" }
        }

        """#
}
