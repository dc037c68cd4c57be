import Contract
import JSON

/// One site: its queues, and the kinds of its beacons.
package struct SiteLayout: ConfigurationSection {
    package var site = ""
    package var queues: [QueueLayout] = []
    package var beacons = BeaconKinds()
    /// How long each gateway learns its close level after its first tag.
    package var learning = Duration.seconds(900)
    /// Whether windows of a gateway whose clock is not set count.
    package var acceptsUnsyncedClocks = false

    package init() {}

    private static let mostQueues = 32

    package static let help = "A site with its queues."
    package static let keys: [ConfigurationKey<SiteLayout>] = [
        .value(
            "site", \.site, .queueName, isRequired: true,
            help: "The site, as the gateways' configuration has it."),
        .value(
            "queues", \.queues, .sections(atMost: mostQueues), isRequired: true,
            help: "The queues of the site."),
        .section("beacons", \.beacons),
        .value(
            "learningSeconds", \.learning, .seconds(in: 0...86_400),
            help:
                "How long a gateway without a learnt level listens after its first beacon, before "
                + "its queues are known."),
        .value(
            "acceptUnsyncedClocks", \.acceptsUnsyncedClocks, .bool,
            help:
                "Whether windows of a gateway whose clock is not set count. Only for gateways that "
                + "share one clock, as on one machine."),
    ]

    package mutating func complete(_ reader: inout ObjectReader) {
        reader.noteEmpty("queues", "queue")
        reader.noteRepeated("queues", queues.map(\.name))
    }

    /// The gateways of all queues, in alphabetical order. Their indices identify them everywhere in this room.
    package var gateways: [String] { Array(Set(queues.flatMap(\.gateways))).sorted() }
}

/// The file of `sightline queue`: the sites.
package struct QueueConfiguration: ConfigurationSection {
    package var sites: [SiteLayout] = []

    package init() {}

    private static let mostSites = 1000
    package static let maxBytes = 4 << 20

    package static let help = "The queues that are measured."
    package static let keys: [ConfigurationKey<QueueConfiguration>] = [
        .value(
            "sites", \.sites, .sections(atMost: mostSites), isRequired: true, example: example,
            help: "The sites with their queues, the gateways of each queue, and whose beacons are "
                + "whose.")
    ]

    private static let example: JSON = [
        [
            "site": "store-042",
            "queues": [
                [
                    "queue": "checkout", "entry": ["entry-1"], "till": ["till-1", "till-2"],
                    "coverage": ["percent": 30, "lowPercent": 25, "highPercent": 35],
                ]
            ],
            "beacons": [
                "staff": [
                    [
                        "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": [42, 42],
                        "minor": [900, 999],
                    ]
                ]
            ],
        ]
    ]

    package mutating func complete(_ reader: inout ObjectReader) {
        reader.noteEmpty("sites", "site")
        reader.noteRepeated("sites", sites.map(\.site))
    }

    /// Reads the file's bytes; throws all faults.
    package init(parsing bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, allowingComments: true
        ) { QueueConfiguration(from: &$0) }
    }
}

extension ObjectReader {
    mutating func noteEmpty(_ key: String, _ noun: String) {
        guard json(key) == .array([]) else { return }
        note(key, .missing, "\(key) needs at least one \(noun)")
    }

    mutating func noteRepeated(_ key: String, _ names: [String]) {
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            note(key, .outOfRange, "\(key) has \(name.quotedForPeople) twice")
        }
    }
}
