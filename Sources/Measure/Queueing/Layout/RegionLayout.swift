import Beacons
import Contract
import JSON

/// One region: some gateways, and the beacons that are looked for there.
package struct RegionLayout: ConfigurationSection {
    /// The kinds that a region can ask for.
    package enum Kind: String, CaseIterable, Sendable {
        case visitor, staff, fixed, gateway
    }

    package var name = ""
    package var gateways: [String] = []
    package var beacons: [BeaconRange] = []
    /// `nil` for beacons of any kind.
    package var kind: Kind?
    /// A fixed time of silence after which a beacon has left.
    package var exit: Duration?
    /// The false exits that the operator accepts, a day of each beacon; `nil` for the default.
    package var falseExits: Double?

    package init() {}

    static let most = 1000
    static let mostGateways = 64
    private static let mostRanges = 64

    package static let help =
        "A region: which beacons are near any of its gateways. A beacon is in it while one of the "
        + "gateways hears it, and leaves after a silence that the server has learnt to be unusual."
    package static let keys: [ConfigurationKey<RegionLayout>] = [
        .value("region", \.name, .queueName, isRequired: true, help: "The name of the region."),
        .value(
            "gateways", \.gateways, .gateways(atMost: mostGateways), isRequired: true,
            help: "The gateways that cover the region. Regions may share them."),
        .value(
            "beacons", \.beacons, .sections(atMost: mostRanges),
            help: "The beacons of the region. Without it, all those of the kind."),
        .optional(
            "kind", \.kind, .word, example: "visitor",
            help: "Only beacons of this kind, as the site's beacons has it. A region needs "
                + "beacons, kind or both."),
        .optional(
            "exitMs", \.exit, .milliseconds(in: 1000...86_400_000), example: 30_000,
            help: "A fixed silence after which a beacon has left. Without it, the server learns "
                + "the silence from each beacon and gateway: 3 s to 2 minutes."),
        .optional(
            "falseExitsPerDay", \.falseExits, .rate, example: .number(0.3),
            help: "How many false exits the operator accepts in a day of one beacon. The default "
                + "is 0.3. More make exits faster."),
    ]

    package mutating func complete(_ reader: inout ObjectReader) {
        reader.noteEmpty("gateways", "gateway")
        reader.noteRepeated("gateways", gateways)
        if !reader.has("kind"), beacons.isEmpty, !reader.has("beacons") {
            reader.note("beacons", .missing, "beacons or kind is required")
        }
        reader.noteEmpty("beacons", "range")
        if reader.has("exitMs"), reader.has("falseExitsPerDay") {
            reader.note(
                "falseExitsPerDay", .outOfRange,
                "falseExitsPerDay has no effect beside exitMs, a fixed time; remove one of them")
        }
    }

    /// Whether a beacon belongs to the region where a gateway hears it.
    package func contains(_ identity: BeaconIdentity, of kind: TagKind) -> Bool {
        (self.kind == nil || self.kind?.rawValue == kind.rawValue)
            && (beacons.isEmpty || beacons.contains { $0.contains(identity) })
    }
}

extension KeyType<Double> {
    /// A number of events a day.
    fileprivate static let rate = KeyType(
        schema: ["type": "number", "minimum": .number(0.001), "maximum": 1000],
        limits: "0.001 to 1000", json: { .number($0) }
    ) { reader, key in
        guard let json = reader.json(key) else { return nil }
        let number: Double? =
            switch json {
            case .number(let number): number
            case .integer(let number): Double(number)
            default: nil
            }
        guard let number, (0.001...1000).contains(number) else {
            reader.note(key, .outOfRange, "\(key) must be a number of 0.001 to 1000")
            return nil
        }
        return number
    }
}
