import Contract
import JSON

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
