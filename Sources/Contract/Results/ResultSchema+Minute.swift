extension ResultSchema {
    /// A minute of a queue.
    package static let minute = ResultSchema(
        name: "queue-minute",
        text: #"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Minute of a queue",
              "description": "One minute of a queue, as sightline queue writes it: one JSON object a line. In an unknown minute, all numbers of the line are null.",
              "type": "object",
              "required": ["v", "kind", "site", "queue", "start", "end", "rev", "final", "state", "reasons", "knownMs", "length", "joined", "served", "abandoned", "waits", "forecast", "scores", "overTargetMs", "coverage", "littleResidualMs"],
              "properties": {
                "v": { "const": 1 },
                "kind": { "const": "minute" },
                "site": { "$ref": "common.json#/$defs/name" },
                "queue": { "$ref": "common.json#/$defs/name" },
                "start": { "type": "integer" },
                "end": { "type": "integer" },
                "rev": { "description": "Rises with each restatement of the same minute.", "type": "integer", "minimum": 1 },
                "final": { "description": "false: later messages may change the minute.", "type": "boolean" },
                "state": {
                  "description": "degraded: a gateway did not hear all the time. unknown: entry or till did not hear for half of the time or longer. Also unknown: no tag was in line, and a gateway did not hear for a quarter of the time, or a person may have joined or left unseen. While the queue at present is degraded or unknown, the provisional minutes since the cause began are degraded, or unknown without a tag in line at the end.",
                  "enum": ["ok", "degraded", "unknown"]
                },
                "reasons": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": ["gateway", "state", "ms"],
                    "properties": {
                      "gateway": { "$ref": "common.json#/$defs/name" },
                      "state": {
                        "description": "learning: the gateway has not listened for long enough since its first tag. deaf: the gateway says so. lost: the gateway declares the messages as lost. unknown: no message.",
                        "enum": ["learning", "deaf", "lost", "unknown"]
                      },
                      "ms": { "type": "integer", "minimum": 1 }
                    }
                  }
                },
                "knownMs": { "description": "Milliseconds in which entry and till were certainly both heard: in each second, the least that the heard parts of both have in common.", "type": "integer", "minimum": 0 },
                "length": {
                  "type": ["object", "null"],
                  "required": ["mean", "max", "end", "people", "low", "high"],
                  "properties": {
                    "mean": { "description": "Tags in line, over the known seconds.", "type": ["number", "null"], "minimum": 0 },
                    "max": { "description": "The most tags in line in a known second.", "type": "integer", "minimum": 0 },
                    "end": { "description": "Tags in line at the end.", "type": "integer", "minimum": 0 },
                    "people": { "description": "end, divided by the coverage.", "type": "number", "minimum": 0 },
                    "low": { "description": "The 90 % interval of people at the end.", "type": "integer", "minimum": 0 },
                    "high": { "type": "integer", "minimum": 0 }
                  }
                },
                "joined": { "type": ["integer", "null"], "minimum": 0 },
                "served": { "description": "Those who left the till; `waits.count` of them have a known wait.", "type": ["integer", "null"], "minimum": 0 },
                "abandoned": { "description": "Those who gave up, as far as they are recognised: few are.", "type": ["integer", "null"], "minimum": 0 },
                "waits": {
                  "description": "Of those who were served in this time.",
                  "type": ["object", "null"],
                  "required": ["count", "meanMs", "medianMs", "p90Ms", "maxMs"],
                  "properties": {
                    "count": { "type": "integer", "minimum": 0 },
                    "meanMs": { "type": ["integer", "null"], "minimum": 0 },
                    "medianMs": { "type": ["integer", "null"], "minimum": 0 },
                    "p90Ms": { "type": ["integer", "null"], "minimum": 0 },
                    "maxMs": { "type": ["integer", "null"], "minimum": 0 }
                  }
                },
                "forecast": {
                  "description": "For a person who joined at the end of the minute; null before anybody was served.",
                  "type": ["object", "null"],
                  "required": ["waitMs", "lowMs", "highMs", "learning", "scored", "meanErrorMs", "meanWaitMs", "inInterval"],
                  "properties": {
                    "waitMs": { "type": "integer", "minimum": 0 },
                    \#(forecastMembers)
                  }
                },
                "scores": {
                  "description": "Forecasts for those who joined in this time, compared with what then came.",
                  "type": ["object", "null"],
                  "required": ["scored", "forecastMs", "waitMs", "meanErrorMs", "inInterval"],
                  "properties": {
                    "scored": { "type": "integer", "minimum": 0 },
                    "forecastMs": { "description": "The mean forecast.", "type": ["integer", "null"], "minimum": 0 },
                    "waitMs": { "description": "The mean wait that came.", "type": ["integer", "null"], "minimum": 0 },
                    "meanErrorMs": { "type": ["integer", "null"], "minimum": 0 },
                    "inInterval": { "description": "The share whose wait was in the interval.", "type": ["number", "null"] }
                  }
                },
                "overTargetMs": {
                  "description": "Milliseconds in which the forecast was above the target of the queue; null without a forecast or a target.",
                  "type": ["integer", "null"],
                  "minimum": 0
                },
                "coverage": { "description": "As configured; null: lengths count people with a beacon.", "type": ["object", "null"] },
                "littleResidualMs": {
                  "description": "The integral of the length minus the sum of the times in line, since the start. Anything but 0 is a fault of the program.",
                  "type": "integer"
                }
              }
            }

            """#)
}
