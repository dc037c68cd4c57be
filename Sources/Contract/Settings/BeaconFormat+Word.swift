import Beacons
import JSON
import Primitives

extension BeaconIdentity.Format {
    /// The member `type` of a sighting, and the word in configurations.
    package var word: String {
        switch self {
        case .iBeacon: "ibeacon"
        case .eddystoneUID: "eddystone-uid"
        case .altBeacon: "altbeacon"
        }
    }

    package init?(word: String) {
        guard let format = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = format
    }
}

extension KeyType<BeaconIdentity.Format> {
    /// One of the formats.
    package static let format = KeyType.parsed(
        expecting: expected, schema: schema, limits: "", json: \.word,
        parse: { BeaconIdentity.Format(word: $0) })

    private static let words = BeaconIdentity.Format.allCases.map(\.word)
    fileprivate static let schema: JSON = ["enum": .array(words.map { .string($0) })]
    fileprivate static let expected = "one of " + words.map { "“\($0)”" }.joined(separator: ", ")
}

extension KeyType<[BeaconIdentity.Format]> {
    /// One or more of the formats.
    static let formats = KeyType.parsedArray(
        atLeast: 1, atMost: BeaconIdentity.Format.allCases.count,
        expecting: KeyType<BeaconIdentity.Format>.expected,
        element: KeyType<BeaconIdentity.Format>.schema, limits: "at least one",
        json: \.word, parse: { BeaconIdentity.Format(word: $0) })
}

extension KeyType<ProximityUUID> {
    /// A namespace of Eddystone beacons, as `BeaconIdentity.organisation` has it.
    package static let namespace = KeyType.parsed(
        expecting: namespaceWords, schema: namespaceSchema, json: \.namespace,
        parse: { ProximityUUID(namespace: $0) })

    fileprivate static let namespaceWords = "a namespace of 20 hexadecimal digits"
    fileprivate static let namespaceSchema: JSON = [
        "type": "string", "pattern": "^[0-9A-Fa-f]{20}$",
    ]
}

extension KeyType<[ProximityUUID]> {
    static func namespaces(atMost limit: Int) -> KeyType {
        .parsedArray(
            atMost: limit, expecting: KeyType<ProximityUUID>.namespaceWords,
            element: KeyType<ProximityUUID>.namespaceSchema,
            json: \.namespace, parse: { ProximityUUID(namespace: $0) })
    }
}

extension ProximityUUID {
    fileprivate init?(namespace: String) {
        guard namespace.utf8.count == 20 else { return nil }
        self.init(namespace + "000000000000")
    }

    fileprivate var namespace: String { Hexadecimal.text(bytes.prefix(10)) }
}
