import Beacons
import JSON

/// The gateway's own advertising: the section `advertise` of the local file and of the layers.
package struct AdvertiseSettings: ConfigurationSection {
    /// `nil` enables advertising once UUID, major and minor are known. Each may come from another layer.
    package var enabled: Bool?
    package var uuid: ProximityUUID?
    package var major: UInt16?
    package var minor: UInt16?
    /// The formats that the gateway advertises.
    package var formats: [BeaconIdentity.Format] = [.iBeacon]
    /// The calibrated RSSI at one metre, in dBm.
    package var measuredPower: Int8 = -59
    /// The advertising interval in milliseconds.
    package var intervalMs = 100
    /// The desired transmit power in dBm; with `nil` the controller chooses.
    package var txPowerDbm: Int8?
    /// Whether advertising continues after the agent ends.
    package var keepOnExit = false

    package init() {}

    package init(
        enabled: Bool? = nil, uuid: ProximityUUID?, major: UInt16?, minor: UInt16?
    ) {
        self.enabled = enabled
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// The iBeacon to advertise; `nil` for none.
    package var beacon: IBeacon? {
        guard enabled != false, let uuid, let major, let minor else { return nil }
        return IBeacon(
            identity: BeaconIdentity(uuid: uuid, major: major, minor: minor),
            measuredPower: measuredPower)
    }
}

extension AdvertiseSettings {
    package static let help =
        "The beacon that the gateway advertises itself. Without this section, here and in all "
        + "layers, the agent leaves the controller's advertising unchanged."
    package static let keys: [ConfigurationKey<AdvertiseSettings>] = [
        .optional(
            "enabled", \.enabled, .bool, example: false, written: { .bool($0.beacon != nil) },
            help: "The default is true once uuid, major and minor are all known."),
        .optional(
            "uuid", \.uuid, .uuid, example: "e2c56db5-dffb-48d2-b060-d0f5a71096e0",
            help: "The organisation."),
        .optional(
            "major", \.major, .integer(in: 0...UInt16.max), example: 42, help: "The store."),
        .optional(
            "minor", \.minor, .integer(in: 0...UInt16.max), example: 7,
            help: "The place in the store."),
        .value(
            "formats", \.formats, .formats,
            help: "The formats: \"ibeacon\", \"altbeacon\", \"eddystone-uid\", whose identities "
                + "follow from uuid, major and minor. A controller with legacy commands sends several in "
                + "turn; others send each at the interval. Eddystone comes with telemetry: "
                + "temperature and uptime."),
        .value(
            "measuredPower", \.measuredPower, .integer(in: -127...20),
            help: "The RSSI at one metre, in dBm."),
        .value(
            "intervalMs", \.intervalMs, .integer(in: 20...10_240),
            help: "The time between two advertisements, in milliseconds. "
                + "Controllers before Bluetooth 5.0 refuse less than 100."),
        .optional(
            "txPowerDbm", \.txPowerDbm, .integer(in: -127...20), example: 0,
            help: "The requested transmission power, in dBm. "
                + "Only controllers with extended commands use it."),
        .value(
            "keepOnExit", \.keepOnExit, .bool,
            help: "Whether the controller continues to advertise when the agent ends. "
                + "With hci0:user it always stops."),
    ]

    package static let rules: JSON = [
        "if": ["required": ["enabled"], "properties": ["enabled": ["const": true]]],
        "then": ["required": ["uuid", "major", "minor"]],
    ]

    package func complete(_ reader: inout ObjectReader) {
        // Other layers may have the rest of the identity.
        guard !reader.isPatch, enabled == true else { return }
        for key in ["uuid", "major", "minor"] where !reader.has(key) {
            reader.note(key, .missing, "\(key) is required where enabled is true")
        }
    }
}
