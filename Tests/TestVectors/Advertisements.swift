import Beacons

/// Advertisements and their events, built byte by byte without the code under test.
package enum Advertisements {
    /// The UUID of Apple's sample code.
    package static let uuid = ProximityUUID(
        high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)

    package static func identity(_ minor: UInt16, major: UInt16 = 42) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }

    package static func beacon(_ minor: UInt16, power: Int8 = -59) -> BeaconFrame {
        BeaconFrame(identity: identity(minor), power: power)
    }

    /// The 27 bytes of an iBeacon's structure, without flags.
    package static func iBeacon(_ minor: UInt16, measuredPower: Int8 = -59) -> [UInt8] {
        [0x1a, 0xff, 0x4c, 0x00, 0x02, 0x15]
            + hex("e2c56db5 dffb 48d2 b060 d0f5a71096e0")
            + [0x00, 0x2a, UInt8(minor >> 8), UInt8(minor & 0xff)]
            + [UInt8(bitPattern: measuredPower)]
    }

    /// The 28 bytes of an AltBeacon's structure.
    package static let altBeacon = hex(
        "1b ff 1801 beac e2c56db5dffb48d2b060d0f5a71096e0 002a0007 c4 00")

    /// The 22 bytes of the structure of an Eddystone-UID frame.
    package static let eddystoneUID = hex("15 16 aafe 00 ec 00112233445566778899 aabbccddeeff")

    /// One report of a legacy advertising event, from the invented address C1:22:33:44:55 and a
    /// last byte.
    package static func legacyReport(
        _ data: [UInt8], rssi: Int8 = -60, sender: UInt8 = 0x66
    ) -> [UInt8] {
        [0x03, 0x01, sender, 0x55, 0x44, 0x33, 0x22, 0xc1, UInt8(data.count)] + data
            + [UInt8(bitPattern: rssi)]
    }

    /// One report of an extended advertising event.
    package static func extendedReport(
        _ data: [UInt8], rssi: Int8 = -60, sender: UInt8 = 0x66
    ) -> [UInt8] {
        [0x10, 0x00, 0x01, sender, 0x55, 0x44, 0x33, 0x22, 0xc1, 0x01, 0x00, 0xff, 0x7f]
            + [UInt8(bitPattern: rssi)] + [0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(data.count)] + data
    }

    /// A legacy advertising event, from its event code.
    package static func legacyEvent(_ reports: [UInt8]...) -> [UInt8] { event(0x02, reports) }

    /// An extended advertising event, from its event code.
    package static func extendedEvent(_ reports: [UInt8]...) -> [UInt8] { event(0x0d, reports) }

    private static func event(_ subevent: UInt8, _ reports: [[UInt8]]) -> [UInt8] {
        let body = reports.flatMap(\.self)
        return [0x3e, UInt8(truncatingIfNeeded: body.count + 2), subevent, UInt8(reports.count)]
            + body
    }
}
