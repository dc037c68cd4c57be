import Beacons
import Contract
import JSON
import Posix

extension KeyType<String> {
    /// A site's or a gateway's name.
    package static let name = parsed(
        expecting: Topics.nameRule, schema: ["$ref": "common.json#/$defs/name"],
        limits: Topics.nameRule, json: { $0 }, parse: Topics.name)

    /// What all topics of a fleet begin with.
    package static let topicRoot = parsed(
        expecting: Topics.rootRule, schema: ["$ref": "common.json#/$defs/topicRoot"],
        json: { $0 }, parse: { Topics.isRoot($0) ? $0 : nil })

    package static let host = parsed(
        expecting: "a host name or an address, without scheme and port",
        schema: ["$ref": "common.json#/$defs/host"], json: { $0 },
        parse: { NetworkAddress.isHost($0) ? $0 : nil })

    /// The path of a file that node_exporter's textfile collector reads.
    static let metricsPath = parsed(
        expecting: "a path that ends in .prom, as node_exporter wants it",
        schema: ["$ref": "common.json#/$defs/metricsPath"], json: { $0 },
        parse: { (1...4095).contains($0.utf8.count) && $0.hasSuffix(".prom") ? $0 : nil })

    /// Some text without control characters.
    package static func text(maxBytes: Int) -> KeyType {
        let schema: JSON = [
            "type": "string", "minLength": 1, "maxLength": .integer(Int64(maxBytes)),
            "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
        ]
        return KeyType(schema: schema, json: { .string($0) }) { reader, key in
            reader.optionalText(key, maxBytes: maxBytes)
        }
    }
}

extension KeyType<WebAddress> {
    package static let webAddress = parsed(
        expecting: "http:// or https://, a host, and a path",
        schema: [
            "type": "string", "pattern": "^https?://[^\\s/@?#]+(?:/[!-\"$-~]{0,1999})?$",
        ], json: { "\($0)" }, parse: { WebAddress($0) })
}

extension ObjectReader {
    /// Some text without control characters that must be there; `nil` after a fault.
    mutating func requiredText(_ key: String, maxBytes: Int) -> String? {
        required(key, optionalText(key, maxBytes: maxBytes))
    }

    fileprivate mutating func optionalText(_ key: String, maxBytes: Int) -> String? {
        let rule = "1 to \(maxBytes) bytes without control characters"
        return optionalParsed(key, expecting: rule) { text in
            let isPlain = text.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control
            }
            return isPlain && (1...maxBytes).contains(text.utf8.count) ? text : nil
        }
    }
}

extension KeyType<[BeaconIdentity]> {
    static func beacons(atMost limit: Int) -> KeyType {
        .objects(
            atMost: limit, schema: BeaconIdentity.schema(with: []), json: { .object($0.members) },
            read: { BeaconIdentity(from: &$0) })
    }
}

extension BeaconIdentity {
    /// Reads an element of a list of beacons; `nil` after a fault.
    init?(from reader: inout ObjectReader) {
        let uuid = reader.parsed("uuid", expecting: "a UUID") { ProximityUUID($0) }
        let major = reader.integer("major", in: 0...UInt16.max)
        let minor = reader.integer("minor", in: 0...UInt16.max)
        guard let uuid else { return nil }
        self.init(uuid: uuid, major: major, minor: minor)
    }

    var members: [JSON.Member] {
        [
            .init("uuid", .string("\(uuid)")), .init("major", .integer(Int64(major))),
            .init("minor", .integer(Int64(minor))),
        ]
    }

    /// The schema of an element of a list of beacons, with `more` before the identity; all members are required.
    static func schema(with more: [JSON.Member]) -> JSON {
        let number: JSON = ["$ref": "common.json#/$defs/uint16"]
        let members =
            more + [
                .init("uuid", KeyType<ProximityUUID>.uuid.schema), .init("major", number),
                .init("minor", number),
            ]
        return [
            "type": "object", "required": .array(members.map { .string($0.key) }),
            "properties": .object(members), "additionalProperties": false,
        ]
    }
}

extension KeyType<RadioSource> {
    static let radioSource = KeyType(
        schema: ["$ref": "common.json#/$defs/radioSource"], json: { .string("\($0)") }
    ) { reader, key in
        guard let text = reader.optionalString(key) else { return nil }
        do throws(RadioSource.Invalid) {
            return try RadioSource(parsing: text)
        } catch {
            reader.note(key, .outOfRange, "\(key) \(error)")
            return nil
        }
    }
}
