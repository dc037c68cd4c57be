import Beacons
import JSON

/// All settings that layers can change: the sections that the local file and the three layers have in common.
package struct GatewaySettings: Equatable, Sendable {
    /// `nil` when no layer has the section: then the agent leaves the controller's advertising unchanged.
    package var advertise: AdvertiseSettings?
    package var report: ReportSettings
    package var filter: FilterSettings

    package init(
        advertise: AdvertiseSettings? = nil, report: ReportSettings = ReportSettings(),
        filter: FilterSettings = FilterSettings()
    ) {
        self.advertise = advertise
        self.report = report
        self.filter = filter
    }

    /// All keys that a layer may have.
    package static let keys: [ConfigurationKey<GatewaySettings>] = [
        .optionalSection("advertise", \.advertise), .section("report", \.report),
        .section("filter", \.filter),
    ]

    /// Reads merged layers; throws all faults.
    package init(merged: JSON) throws(Faults) {
        self = try ObjectReader.decode(merged) { GatewaySettings(from: &$0) }
    }

    init(from reader: inout ObjectReader) {
        self.init()
        Self.keys.read(&reader, &self)
    }

    /// The sections with every value in force, including defaults.
    package var json: JSON {
        guard advertise == nil else { return Self.keys.json(self) }
        return JSON.object([.init("advertise", ["enabled": false])])
            .merging(Self.keys.json(self))
    }
}

/// The beacons to report: the section `filter` of the local file and of the layers.
package struct FilterSettings: ConfigurationSection {
    /// The formats of the beacons to report.
    package var formats: [BeaconIdentity.Format] = [.iBeacon]
    /// The UUIDs of the iBeacons and AltBeacons to report; empty for all.
    package var uuids: [ProximityUUID] = []
    /// The major numbers of the same; empty for all.
    package var majors: [UInt16] = []
    /// The namespaces of the Eddystone beacons to report, each with six zeros behind it; empty for all.
    package var namespaces: [ProximityUUID] = []

    package init() {}

    /// The most UUIDs, and the most major numbers, in a filter.
    package static let maxElements = 64

    package static let help =
        "The beacons that the gateway reports. With a list of UUIDs, major numbers or namespaces, "
        + "it reports those that a list of their format names."
    package static let keys: [ConfigurationKey<FilterSettings>] = [
        .value(
            "formats", \.formats, .formats,
            help: "The formats: \"ibeacon\", \"eddystone-uid\", \"altbeacon\". A report of another "
                + "format counts as no beacon. A device that sends two formats has a sighting for "
                + "each."),
        .value(
            "uuids", \.uuids, .uuids(atMost: maxElements),
            help: "The UUIDs of iBeacons, such as [\"e2c56db5-dffb-48d2-b060-d0f5a71096e0\"], and "
                + "the first 16 bytes of AltBeacons. An empty list selects all."),
        .value(
            "majors", \.majors, .integers(in: 0...UInt16.max, atMost: maxElements),
            help: "The major numbers of iBeacons, such as [42], and bytes 17 and 18 of AltBeacons. "
                + "An empty list selects all."),
        .value(
            "namespaces", \.namespaces, .namespaces(atMost: maxElements),
            help: "The namespaces of Eddystone beacons, such as [\"edd1ebeac04e5defa017\"]. An "
                + "empty list selects all."),
    ]
}

/// How the gateway reports: the section `report` of the local file and of the layers.
package struct ReportSettings: ConfigurationSection {
    /// The width of a window; a multiple of 100 ms.
    package var window = Duration.seconds(1)
    /// The longest silence in one message; 0 sends a message per window.
    package var maxSilence = Duration.seconds(10)
    /// The most sightings in one message. A larger window is split into parts.
    package var maxSightingsPerMessage = 500
    /// The most sightings in one window; 0 for all.
    package var maxSightingsPerWindow = 0

    package init() {}

    package static let help = "How the gateway reports."
    package static let keys: [ConfigurationKey<ReportSettings>] = [
        .value(
            "windowMs", \.window, .milliseconds(in: 100...600_000, step: 100),
            help: "The time that one report covers, in milliseconds."),
        .value(
            "maxSilenceMs", \.maxSilence, .milliseconds(in: 0...3_600_000),
            help: "The longest time that one report may cover when no beacon is received."),
        .value(
            "maxSightingsPerMessage", \.maxSightingsPerMessage, .integer(in: 1...10_000),
            help: "A report with more sightings is cut into several messages."),
        .value(
            "maxSightingsPerWindow", \.maxSightingsPerWindow, .integer(in: 0...1_000_000),
            help: "The most beacons in one window; 0 for all. Beacons that the gateway reported in "
                + "the last minute go first. The others are counted as untracked."),
    ]
}
