import Contract
import JSON

/// One queue: the gateways at its entry and its tills, and along its line.
package struct QueueLayout: ConfigurationSection {
    package var name = ""
    package var entry: [String] = []
    package var till: [String] = []
    package var along: [String] = []
    /// `nil` where the share of people with a beacon is not known.
    package var coverage: CoverageSettings?
    /// A longer wait is over the target.
    package var targetWait: Duration?

    package init() {}

    static let mostGateways = 16

    package static let help = "A queue: where it begins and where it ends."
    package static let keys: [ConfigurationKey<QueueLayout>] = [
        .value("queue", \.name, .queueName, isRequired: true, help: "The name of the queue."),
        .value(
            "entry", \.entry, .gateways(atMost: mostGateways), isRequired: true,
            help: "The gateways where the line begins. Several queues may share one."),
        .value(
            "till", \.till, .gateways(atMost: mostGateways), isRequired: true,
            help: "The gateways at the tills."),
        .value(
            "along", \.along, .gateways(atMost: mostGateways),
            help: "More gateways along a long line. They show that a person is in it."),
        .optionalSection("coverage", \.coverage),
        .optional(
            "targetWaitMs", \.targetWait, .milliseconds(in: 1000...86_400_000), example: 300_000,
            help: "The wait that the operator aims at. Longer forecasts are over the target."),
    ]

    package mutating func complete(_ reader: inout ObjectReader) {
        for key in ["entry", "till"] { reader.noteEmpty(key, "gateway") }
        for (key, gateways) in [("entry", entry), ("till", till), ("along", along)] {
            reader.noteRepeated(key, gateways)
        }
        for (key, gateways, others) in [
            ("till", till, entry), ("along", along, entry + till),
        ] {
            for gateway in gateways where others.contains(gateway) {
                reader.note(
                    key, .outOfRange,
                    "\(gateway.quotedForPeople) has two roles in this queue; it can have one")
            }
        }
    }

    package var gateways: [String] { entry + till + along }

    /// Whether another queue begins and ends at the same gateways.
    func hasEnds(of other: QueueLayout) -> Bool {
        name != other.name && Set(entry) == Set(other.entry) && Set(till) == Set(other.till)
    }
}

extension KeyType<String> {
    static let queueName = parsed(
        expecting: Topics.nameRule, schema: ["$ref": "common.json#/$defs/name"],
        limits: Topics.nameRule, json: { $0 }, parse: Topics.name)
}

extension KeyType<[String]> {
    static func gateways(atMost limit: Int) -> KeyType {
        let schema: JSON = [
            "type": "array", "maxItems": .integer(Int64(limit)),
            "items": KeyType<String>.queueName.schema,
        ]
        return KeyType(
            schema: schema, limits: "at most \(limit)",
            json: { .array($0.map { .string($0) }) }
        ) { reader, key in
            guard reader.has(key) else { return nil }
            return reader.parsedArray(
                key, atMost: limit, expecting: Topics.nameRule, Topics.name)
        }
    }
}
