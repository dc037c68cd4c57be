import TestVectors
import Testing

@testable import Beacons

@Suite("beacon frames")
struct BeaconFrameTests {
    private static let iBeacon = """
        1a ff 4c00 02 15                      # Apple's iBeacon
        e2c56db5 dffb 48d2 b060 d0f5a71096e0  # UUID
        002a 0007                             # major 42, minor 7
        c5                                    # measured power: -59 dBm

        """
    /// AltBeacon specification v1.0, "AltBeacon Protocol Format".
    private static let altBeacon = """
        1b ff                                 # length, manufacturer-specific data
        1801                                  # Radius Networks, little-endian
        beac                                  # AltBeacon code
        e2c56db5 dffb 48d2 b060 d0f5a71096e0  # organisation
        002a 0007                             # the rest of the identifier
        c4                                    # reference RSSI at 1 m: -60 dBm
        00                                    # of the manufacturer

        """
    /// Eddystone Protocol Specification, "Eddystone-UID".
    private static let eddystoneUID = """
        15 16                                 # length, service data
        aafe                                  # Eddystone, little-endian
        00                                    # frame type: UID
        ec                                    # power at 0 m: -20 dBm
        00112233445566778899                  # namespace
        aabbccddeeff                          # instance

        """
    private static let uuid = ProximityUUID(
        high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)
    private static let frames: [BeaconIdentity.Format: BeaconFrame] = [
        .iBeacon: BeaconFrame(
            identity: BeaconIdentity(uuid: uuid, major: 42, minor: 7), power: -59),
        .altBeacon: BeaconFrame(
            identity: BeaconIdentity(.altBeacon, prefix: uuid, suffix: 0x002a_0007), power: -60),
        // The specification's difference of 41 dB between 0 m and 1 m.
        .eddystoneUID: BeaconFrame(
            identity: BeaconIdentity(
                .eddystoneUID,
                prefix: ProximityUUID(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)),
            power: -61),
    ]

    private static func read(_ text: String, _ formats: BeaconFormats) throws -> BeaconFrame? {
        try hex(text).withBytes { bytes in
            try BeaconFrame(advertisingData: bytes, of: formats)
        }
    }

    @Test(
        "a frame is read if its format is wanted, and only then",
        arguments: zip(
            BeaconIdentity.Format.allCases, [Self.iBeacon, Self.eddystoneUID, Self.altBeacon]))
    func formats(format: BeaconIdentity.Format, text: String) throws {
        let expected = try #require(Self.frames[format])
        for prefix in ["", "02 01 06\n", "03 03 aafe\n"] {
            #expect(try Self.read(prefix + text, BeaconFormats(format)) == expected)
            #expect(try Self.read(prefix + text, .all) == expected)
            let others = BeaconFormats.all.subtracting(BeaconFormats(format))
            #expect(try Self.read(prefix + text, others) == nil)
        }
    }

    @Test("of several frames, the first of a wanted format counts")
    func first() throws {
        let both = Self.altBeacon + Self.iBeacon
        #expect(try Self.read(both, .all)?.identity.format == .altBeacon)
        #expect(try Self.read(both, .iBeacon)?.identity.format == .iBeacon)
        #expect(try Self.read(both, .eddystoneUID) == nil)
    }

    @Test("a structure that overruns is malformed, but not behind a frame")
    func malformed() throws {
        #expect(throws: AdvertisingData.Malformed(offset: 28)) {
            try Self.read(Self.altBeacon + "09 ff 4c", .iBeacon)
        }
        #expect(try Self.read(Self.altBeacon + "09 ff 4c", .altBeacon) != nil)
    }

    @Test(
        "frames that are too short, or of another kind, are no beacons",
        arguments: [
            "1a ff 1801 beac e2c56db5dffb48d2b060d0f5a71096e0 002a0007 c4",
            "1b ff 1801 acbe e2c56db5dffb48d2b060d0f5a71096e0 002a0007 c4 00",
            "14 16 aafe 00 ec 00112233445566778899 aabbccddee",
            "15 16 abfe 00 ec 00112233445566778899 aabbccddeeff",
            "15 16 aafe 10 ec 00112233445566778899 aabbccddeeff", "03 16 aafe", "02 16 aa",
        ])
    func others(text: String) throws {
        #expect(try Self.read(text, .all) == nil)
    }

    @Test("telemetry is read before a frame, or instead of one")
    func telemetry() throws {
        let text = "11 16 aafe 20 00 0000 8000 0000004d 0000007b\n"
        for (frame, isBeacon) in [("", false), (Self.iBeacon, true)] {
            var hasEddystone = false
            let (beacon, anonymous) = try hex(text + frame).withBytes { bytes throws in
                (
                    try BeaconFrame(
                        advertisingData: bytes, of: .all, hasEddystone: &hasEddystone),
                    Eddystone.Anonymous(advertisingData: bytes)
                )
            }
            #expect(hasEddystone)
            #expect((beacon != nil) == isBeacon)
            // Neither a battery nor a thermometer.
            #expect(
                anonymous
                    == .telemetry(
                        Eddystone.Telemetry(
                            millivolts: nil, temperature: nil, advertisements: 77, uptime: 123)))
        }
    }

    @Test("a power at 0 m that has no counterpart at 1 m is the weakest there is")
    func weakest() throws {
        let text = "15 16 aafe 00 80 00112233445566778899 aabbccddeeff"
        #expect(try Self.read(text, .all)?.power == -128)
    }

    @Test("an organisation is a UUID, a namespace, or the first 16 bytes of an AltBeacon")
    func organisations() {
        let organisations = BeaconIdentity.Format.allCases.map {
            Self.frames[$0]?.identity.organisation
        }
        let namespace = ProximityUUID(high: 0x0011_2233_4455_6677, low: 0x8899_0000_0000_0000)
        #expect(organisations == [Self.uuid, namespace, Self.uuid])
    }
}
