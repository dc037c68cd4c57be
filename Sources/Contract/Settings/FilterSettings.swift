import Beacons
import JSON

/// The beacons to report: the section `filter` of the local file and of the layers.
package struct FilterSettings: ConfigurationSection {
    /// The UUIDs of the beacons to report; empty for all.
    package var uuids: [ProximityUUID] = []
    /// The major numbers of the beacons to report; empty for all.
    package var majors: [UInt16] = []

    package init() {}

    /// The most UUIDs, and the most major numbers, in a filter.
    package static let maxElements = 64

    package static let help = "The beacons that the gateway reports."
    package static let keys: [ConfigurationKey<FilterSettings>] = [
        .value(
            "uuids", \.uuids, .uuids(atMost: maxElements),
            help: "The UUIDs of these beacons, such as [\"e2c56db5-dffb-48d2-b060-d0f5a71096e0\"]."
                + " An empty list selects all beacons."),
        .value(
            "majors", \.majors, .integers(in: 0...UInt16.max, atMost: maxElements),
            help: "The major numbers of these beacons, such as [42]. An empty list selects all."),
    ]
}
