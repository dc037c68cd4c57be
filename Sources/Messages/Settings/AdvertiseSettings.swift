import Beacon

/// What the gateway itself advertises: the section `advertise` of the local file and of the layers.
package struct AdvertiseSettings: Equatable, Sendable {
    /// Without the section, nothing is advertised; with it, something is unless it says otherwise.
    package var enabled: Bool
    package var uuid: ProximityUUID?
    package var major: UInt16?
    package var minor: UInt16?
    /// The calibrated RSSI at one metre, in dBm.
    package var measuredPower: Int8
    /// From one advertisement to the next, in milliseconds.
    package var intervalMs: Int
    /// The transmission power wanted, in dBm; `nil` leaves it to the controller.
    package var txPowerDbm: Int8?
    /// Whether the advertising outlives the agent.
    package var keepOnExit: Bool

    package init(
        enabled: Bool = false, uuid: ProximityUUID? = nil, major: UInt16? = nil,
        minor: UInt16? = nil, measuredPower: Int8 = -59, intervalMs: Int = 100,
        txPowerDbm: Int8? = nil, keepOnExit: Bool = false
    ) {
        self.enabled = enabled
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
        self.intervalMs = intervalMs
        self.txPowerDbm = txPowerDbm
        self.keepOnExit = keepOnExit
    }

    /// Reads the section's members; who advertises needs an identity.
    package init(from reader: inout ObjectReader) {
        let usual = AdvertiseSettings()
        enabled = reader.bool("enabled", default: true)
        uuid = reader.optionalParsed("uuid", expecting: "a UUID") { ProximityUUID($0) }
        major = reader.optionalInteger("major", in: 0...UInt16.max)
        minor = reader.optionalInteger("minor", in: 0...UInt16.max)
        measuredPower = reader.integer(
            "measuredPower", in: -127...20, default: usual.measuredPower)
        intervalMs = reader.integer("intervalMs", in: 20...10_240, default: usual.intervalMs)
        txPowerDbm = reader.optionalInteger("txPowerDbm", in: -127...20)
        keepOnExit = reader.bool("keepOnExit", default: usual.keepOnExit)
        guard enabled else { return }
        for key in ["uuid", "major", "minor"] where !reader.has(key) {
            reader.note(key, .missing, "\(key) is required to advertise")
        }
    }

    /// The iBeacon to put on the air; `nil` when nothing is advertised.
    package var beacon: IBeacon? {
        guard enabled, let uuid, let major, let minor else { return nil }
        return IBeacon(
            identity: Identity(uuid: uuid, major: major, minor: minor),
            measuredPower: measuredPower)
    }
}
