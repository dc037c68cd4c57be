import Beacons
import Contract
import JSON

/// What Home Assistant shows: the section `homeAssistant` of the local file.
package struct HomeAssistantSettings: ConfigurationSection {
    /// Home Assistant's default prefix.
    package static let usualPrefix = "homeassistant"

    /// The topic prefix of discovery documents.
    package var discoveryPrefix = usualPrefix
    /// After so long a time of listening without a report, a tracker is away.
    package var awayAfter = Duration.seconds(120)
    package var trackers: [Tracker] = []

    /// The most trackers: each sighting is compared with all of them.
    package static let maxTrackers = 32

    package init() {}

    package static let help =
        "The gateway and its trackers in Home Assistant. Without this section, the agent publishes "
        + "nothing for Home Assistant."
    package static let keys: [ConfigurationKey<HomeAssistantSettings>] = [
        .value(
            "discoveryPrefix", \.discoveryPrefix, .topicRoot,
            help: "The topic prefix where Home Assistant looks for discovery documents."),
        .value(
            "awayAfterSeconds", \.awayAfter, .seconds(in: 10...86_400),
            help: "A tracker is away after this listening time without a report."),
        .value(
            "trackers", \.trackers, .trackers(atMost: maxTrackers),
            help: "The beacons that Home Assistant follows, such as {\"name\": \"Forklift\", "
                + "\"uuid\": \"e2c56db5-dffb-48d2-b060-d0f5a71096e0\", \"major\": 42, \"minor\": 9}."
        ),
    ]

    package func complete(_ reader: inout ObjectReader) {
        let identities = trackers.map(\.identity)
        if Set(identities).count < identities.count {
            reader.note("trackers", .outOfRange, "trackers must be different beacons")
        }
    }
}

extension KeyType<[Tracker]> {
    fileprivate static func trackers(atMost limit: Int) -> KeyType {
        .objects(
            atMost: limit,
            schema: BeaconIdentity.schema(with: [
                .init("name", ["$ref": "common.json#/$defs/trackerName"])
            ]),
            json: { .object([.init("name", .string($0.name))] + $0.identity.members) },
            read: { Tracker(from: &$0) })
    }
}

extension Tracker {
    /// Reads an element of `homeAssistant.trackers`; `nil` after a fault.
    fileprivate init?(from reader: inout ObjectReader) {
        let name = reader.requiredText("name", maxBytes: 128)
        let identity = BeaconIdentity(from: &reader)
        guard let name, let identity else { return nil }
        self.init(name: name, identity: identity)
    }
}
