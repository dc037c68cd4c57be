import Beacons
import JSON

extension KeyType<ProximityUUID> {
    package static let uuid = KeyType.parsed(
        expecting: "a UUID", schema: ["$ref": "common.json#/$defs/anyUUID"], json: { "\($0)" },
        parse: { ProximityUUID($0) })
}

extension KeyType<[ProximityUUID]> {
    package static func uuids(atMost limit: Int) -> KeyType {
        let schema: JSON = [
            "type": "array", "maxItems": .integer(Int64(limit)),
            "items": KeyType<ProximityUUID>.uuid.schema,
        ]
        return KeyType(
            schema: schema, limits: "at most \(limit)",
            json: { .array($0.map { .string("\($0)") }) }
        ) { reader, key in
            reader.has(key)
                ? reader.parsedArray(key, atMost: limit, expecting: "a UUID") { ProximityUUID($0) }
                : nil
        }
    }
}
