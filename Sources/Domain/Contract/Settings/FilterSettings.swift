import Beacons
import JSON

/// Which beacons are wanted: the section `filter` of the local file and of the layers.
package struct FilterSettings: ConfigurationSection {
    /// The organisations whose beacons are let through; empty for all.
    package var uuids: [ProximityUUID] = []

    package init() {}

    /// The most organisations that a filter may name.
    package static let maxUUIDs = 64

    package static let help = "The beacons that the gateway reports."
    package static let keys: [ConfigurationKey<FilterSettings>] = [
        .value(
            "uuids", \.uuids, .uuids(atMost: maxUUIDs),
            help: "The UUIDs of these beacons, such as [\"e2c56db5-dffb-48d2-b060-d0f5a71096e0\"]."
                + " An empty list selects all beacons.")
    ]
}
