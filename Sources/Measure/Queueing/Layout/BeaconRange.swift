import Beacons
import Contract
import JSON

/// Beacons of one format and organisation, within ranges of major and minor.
package struct BeaconRange: ConfigurationSection {
    /// The format; `nil` for iBeacons.
    package var type: BeaconIdentity.Format?
    /// The organisation of iBeacons and AltBeacons.
    package var uuid: ProximityUUID?
    /// The organisation of Eddystone beacons, with six zeros behind it.
    package var namespace: ProximityUUID?
    package var major: ClosedRange<UInt16> = 0...UInt16.max
    package var minor: ClosedRange<UInt16> = 0...UInt16.max

    package init() {}

    package static let help =
        "Beacons of a UUID, within ranges of major and minor, or of an Eddystone namespace."
    package static let keys: [ConfigurationKey<BeaconRange>] = [
        .optional(
            "type", \.type, .format, example: "altbeacon",
            help: "The format; without it, iBeacons."),
        .optional(
            "uuid", \.uuid, .uuid, example: "e2c56db5-dffb-48d2-b060-d0f5a71096e0",
            help: "The UUID of iBeacons, or the first 16 bytes of AltBeacons."),
        .optional(
            "namespace", \.namespace, .namespace, example: "edd1ebeac04e5defa017",
            help: "The namespace of Eddystone beacons."),
        .value("major", \.major, .numbers, help: "The first and the last major number."),
        .value("minor", \.minor, .numbers, help: "The first and the last minor number."),
    ]

    package static let rules: JSON = [
        "if": ["required": ["type"], "properties": ["type": ["const": "eddystone-uid"]]],
        "then": ["required": ["namespace"]],
        "else": ["required": ["uuid"]],
    ]

    /// Of an Eddystone beacon, neither a UUID nor numbers; of another one, no namespace.
    package func complete(_ reader: inout ObjectReader) {
        let (needed, foreign) =
            type == .eddystoneUID
            ? ("namespace", ["uuid", "major", "minor"]) : ("uuid", ["namespace"])
        if !reader.has(needed) { reader.note(needed, .missing, "\(needed) is required") }
        for key in foreign where reader.has(key) {
            let word = (type ?? .iBeacon).word
            reader.note(key, .unknownKey, "\(key) is no key of a range of type “\(word)”")
        }
    }

    package func contains(_ identity: BeaconIdentity) -> Bool {
        identity.format == type ?? .iBeacon && identity.organisation == organisation
            && major.contains(identity.major) && minor.contains(identity.minor)
    }

    /// As `BeaconIdentity.organisation` has it.
    package var organisation: ProximityUUID? { type == .eddystoneUID ? namespace : uuid }
}

extension BeaconRange {
    /// Ranges of these beacons and no others, in ascending order. Minor numbers that follow each other share a range.
    package static func covering(_ identities: [BeaconIdentity]) -> [BeaconRange] {
        let sorted = Set(identities.filter(\.isIBeacon)).sorted {
            ($0.high, $0.low, $0.rest) < ($1.high, $1.low, $1.rest)
        }
        return sorted.reduce(into: []) { ranges, identity in
            if let last = ranges.last, last.uuid == identity.uuid,
                last.major.upperBound == identity.major,
                Int(last.minor.upperBound) + 1 == Int(identity.minor)
            {
                ranges[ranges.endIndex - 1].minor = last.minor.lowerBound...identity.minor
            } else {
                ranges.append(
                    BeaconRange {
                        $0.uuid = identity.uuid
                        $0.major = identity.major...identity.major
                        $0.minor = identity.minor...identity.minor
                    })
            }
        }
    }
}

extension KeyType<ClosedRange<UInt16>> {
    /// Two numbers, the first and the last.
    fileprivate static let numbers = KeyType(
        schema: [
            "type": "array", "minItems": 2, "maxItems": 2,
            "items": ["$ref": "common.json#/$defs/uint16"],
        ],
        limits: "two numbers of 0 to 65535",
        json: { [.integer(Int64($0.lowerBound)), .integer(Int64($0.upperBound))] }
    ) { reader, key in
        guard let json = reader.json(key) else { return nil }
        guard case .array(let elements) = json, elements.count == 2,
            case .integer(let first) = elements[0], case .integer(let last) = elements[1],
            let first = UInt16(exactly: first), let last = UInt16(exactly: last), first <= last
        else {
            reader.note(
                key, .outOfRange,
                "\(key) must be two whole numbers of 0 to 65535, the first and the last")
            return nil
        }
        return first...last
    }
}
