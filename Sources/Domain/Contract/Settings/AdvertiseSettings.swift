import Beacons
import JSON

/// What the gateway itself advertises: the section `advertise` of the local file and of the layers.
package struct AdvertiseSettings: Equatable, Sendable {
    /// `nil` for: as soon as organisation, store and place are all known. Each may come from another layer.
    package var enabled: Bool?
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
        enabled: Bool? = nil, uuid: ProximityUUID? = nil, major: UInt16? = nil,
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

    /// The iBeacon to put on the air; `nil` when nothing is to be advertised.
    package var beacon: IBeacon? {
        guard enabled != false, let uuid, let major, let minor else { return nil }
        return IBeacon(
            identity: Identity(uuid: uuid, major: major, minor: minor),
            measuredPower: measuredPower)
    }
}

extension AdvertiseSettings {
    /// Reads the section's members.
    ///
    /// - Parameter isWhole: whether this is all there is, and not one layer of several: then whoever says that it
    ///   advertises needs an identity.
    package init(from reader: inout ObjectReader, isWhole: Bool) {
        let usual = AdvertiseSettings()
        enabled = reader.optionalBool("enabled")
        uuid = reader.optionalParsed("uuid", expecting: "a UUID") { ProximityUUID($0) }
        major = reader.optionalInteger("major", in: 0...UInt16.max)
        minor = reader.optionalInteger("minor", in: 0...UInt16.max)
        measuredPower = reader.integer(
            "measuredPower", in: -127...20, default: usual.measuredPower)
        intervalMs = reader.integer("intervalMs", in: 20...10_240, default: usual.intervalMs)
        txPowerDbm = reader.optionalInteger("txPowerDbm", in: -127...20)
        keepOnExit = reader.bool("keepOnExit", default: usual.keepOnExit)
        guard isWhole, enabled == true else { return }
        for key in ["uuid", "major", "minor"] where !reader.has(key) {
            reader.note(key, .missing, "\(key) is required where enabled is true")
        }
    }

    /// The section with every member that has a value; `enabled` says what it comes to.
    var json: JSON {
        var members: [JSON.Member] = [.init("enabled", .bool(beacon != nil))]
        if let uuid { members.append(.init("uuid", .string("\(uuid)"))) }
        if let major { members.append(.init("major", .integer(Int64(major)))) }
        if let minor { members.append(.init("minor", .integer(Int64(minor)))) }
        members.append(.init("measuredPower", .integer(Int64(measuredPower))))
        members.append(.init("intervalMs", .integer(Int64(intervalMs))))
        if let txPowerDbm { members.append(.init("txPowerDbm", .integer(Int64(txPowerDbm)))) }
        members.append(.init("keepOnExit", .bool(keepOnExit)))
        return .object(members)
    }
}
