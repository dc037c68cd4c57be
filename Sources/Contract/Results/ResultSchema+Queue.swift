extension ResultSchema {
    /// The retained state of a queue.
    package static let queue = ResultSchema(
        name: "queue",
        text: #"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Queue at present",
              "description": "A queue by present knowledge. Retained; published when it changes, at most once a second, and at least every 30 s. Subscribers must ignore unknown members. In the state unknown, length, wait, leavers, throughput and tills are null.",
              "type": "object",
              "required": ["v", "kind", "site", "queue", "at", "rev", "state", "since", "reasons", "length", "wait", "leavers", "throughput", "tills", "trend", "coverage", "target", "littleResidualMs", "durable"],
              "properties": {
                "v": { "const": 1 },
                "kind": { "const": "queue" },
                "site": { "$ref": "common.json#/$defs/name" },
                "queue": { "$ref": "common.json#/$defs/name" },
                "at": { "description": "The end of the last second that the numbers describe, by the gateways' clocks; null before the first message.", "type": ["integer", "null"], "minimum": 0 },
                "rev": { "description": "Rises with each publication of other contents.", "type": "integer", "minimum": 0 },
                "state": {
                  "description": "In the state degraded, a gateway does not hear, or a tag is near that may have joined unseen. In the state unknown, no gateway of a role heard at some time of the last 30 s. The state is also unknown when no tag is in line, and it would be degraded. A queue that was known once is known again after ten seconds without such a cause.",
                  "enum": ["ok", "degraded", "unknown"]
                },
                "since": { "description": "The start of the state.", "type": ["integer", "null"], "minimum": 0 },
                "reasons": {
                  "description": "The gateways that do not hear. One that hears again stays here for 30 s, and as long as a tag is near that may have joined unseen. Before the first message: all gateways.",
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": ["gateway", "state", "since"],
                    "properties": {
                      "gateway": { "$ref": "common.json#/$defs/name" },
                      "state": {
                        "description": "In the state learning, the gateway has not listened for long enough since its first tag. The gateway itself reports that it is deaf, or that messages are lost. In the state offline, its connection to the broker has ended. In the state unsynced, its clock is not set, and its messages are left out. In the state unknown, it sends no message.",
                        "enum": ["learning", "deaf", "lost", "offline", "unsynced", "unknown"]
                      },
                      "since": { "description": "null before the first message.", "type": ["integer", "null"], "minimum": 0 },
                      "until": { "description": "When the gateway began to hear again; null until then.", "type": ["integer", "null"], "minimum": 0 }
                    }
                  }
                },
                "length": {
                  "type": ["object", "null"],
                  "required": ["people", "low", "high", "tags"],
                  "properties": {
                    "people": { "description": "tags, divided by the coverage.", "type": "number", "minimum": 0 },
                    "low": { "description": "The 90 % interval of people.", "type": "integer", "minimum": 0 },
                    "high": { "type": "integer", "minimum": 0 },
                    "tags": { "description": "Tags in line.", "type": "integer", "minimum": 0 }
                  }
                },
                "wait": {
                  "description": "The forecast for a person who joins now; null before anybody was served.",
                  "type": ["object", "null"],
                  "required": ["ms", "lowMs", "highMs", "learning", "scored", "meanErrorMs", "meanWaitMs", "inInterval"],
                  "properties": {
                    "ms": { "type": "integer", "minimum": 0 },
                    \#(forecastMembers)
                  }
                },
                "leavers": {
                  "description": "Those who left within the last sinceMs. The waits are of those who were served, and whose dates are exact.",
                  "type": ["object", "null"],
                  "required": ["sinceMs", "served", "servedLow", "servedHigh", "abandoned", "meanMs", "medianMs", "medianLowMs", "medianHighMs", "p90Ms", "p90LowMs", "p90HighMs"],
                  "properties": {
                    "sinceMs": { "type": "integer", "minimum": 1 },
                    "served": { "description": "Tags.", "type": "integer", "minimum": 0 },
                    "servedLow": { "description": "The 90 % interval of people with a tag.", "type": "integer", "minimum": 0 },
                    "servedHigh": { "type": "integer", "minimum": 0 },
                    "abandoned": { "description": "Those who gave up, as far as they are recognised: few are.", "type": "integer", "minimum": 0 },
                    "meanMs": { "type": ["integer", "null"], "minimum": 0 },
                    "medianMs": { "description": "Half of the people waited no longer.", "type": ["integer", "null"], "minimum": 0 },
                    "medianLowMs": { "description": "The 90 % interval for all people. null: too few waits are known for this end.", "type": ["integer", "null"], "minimum": 0 },
                    "medianHighMs": { "type": ["integer", "null"], "minimum": 0 },
                    "p90Ms": { "description": "90 % of the people waited no longer.", "type": ["integer", "null"], "minimum": 0 },
                    "p90LowMs": { "description": "As of the median.", "type": ["integer", "null"], "minimum": 0 },
                    "p90HighMs": { "type": ["integer", "null"], "minimum": 0 }
                  }
                },
                "throughput": {
                  "description": "Tags served an hour, over the known part of the last sinceMs. null: less than five minutes of it are known.",
                  "type": ["object", "null"],
                  "required": ["perHour", "low", "high", "sinceMs"],
                  "properties": {
                    "perHour": { "type": "number", "minimum": 0 },
                    "low": { "description": "The 90 % interval of people with a tag, an hour.", "type": "number", "minimum": 0 },
                    "high": { "type": "number", "minimum": 0 },
                    "sinceMs": { "type": "integer", "minimum": 1 }
                  }
                },
                "tills": {
                  "description": "The tills that serve, of all tills of the queue; null where it is not known.",
                  "type": ["object", "null"],
                  "required": ["open", "of"],
                  "properties": {
                    "open": { "type": "integer", "minimum": 0 },
                    "of": { "type": "integer", "minimum": 1 }
                  }
                },
                "trend": {
                  "description": "The last thirty minutes: the start of each, and the mean number of people in line by the present coverage. null: unknown.",
                  "type": "array",
                  "items": {
                    "type": "array",
                    "minItems": 2,
                    "maxItems": 2,
                    "items": { "type": ["number", "null"] }
                  }
                },
                "coverage": {
                  "description": "The share of people who carry a beacon; null: lengths count people with a beacon.",
                  "type": ["object", "null"],
                  "required": ["percent", "lowPercent", "highPercent", "source"],
                  "properties": {
                    "percent": { "type": "number", "minimum": 0, "maximum": 100 },
                    "lowPercent": { "type": "number", "minimum": 0, "maximum": 100 },
                    "highPercent": { "type": "number", "minimum": 0, "maximum": 100 },
                    "source": { "enum": ["configured", "receipts"] }
                  }
                },
                "target": {
                  "description": "The operator's target, and whether the forecast is above it; null without a target.",
                  "type": ["object", "null"],
                  "required": ["waitMs", "isOver"],
                  "properties": {
                    "waitMs": { "type": "integer", "minimum": 1 },
                    "isOver": { "description": "null while wait is null.", "type": ["boolean", "null"] }
                  }
                },
                "littleResidualMs": {
                  "description": "The integral of the length minus the sum of the times in line, since the start of the day. Anything but 0 is a fault of the program.",
                  "type": "integer"
                },
                "durable": { "description": "false: the server cannot store results, and a restart loses them.", "type": "boolean" }
              }
            }

            """#)
}
