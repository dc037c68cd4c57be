import TestVectors
import Testing

@testable import Beacons

@Suite struct IBeaconTests {
    private static let identity = BeaconIdentity(
        uuid: ProximityUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0),
        major: 0x1388, minor: 0x0f4e)
    private static let expected = IBeacon(identity: identity, measuredPower: -63)

    /// The structure's data, from the company identifier.
    private static let body = """
        4c 00                           # Apple, little-endian
        02                              # type: proximity beacon
        15                              # length: 21 bytes follow
        e2c56db5 dffb 48d2 b060 d0f5a71096e0  # UUID
        13 88                           # major 5000
        0f 4e                           # minor 3918
        c1                              # measured power: -63 dBm

        """
    private static let structure = "1a ff\n" + body
    private static let flags = "02 01 06\n"
    private static let name = "05 09 73686f70\n"

    struct Vector: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]

        init(_ description: String, _ text: String) {
            testDescription = description
            bytes = hex(text)
        }
    }

    private static func read(_ bytes: [UInt8]) throws -> IBeacon? {
        try bytes.withBytes { bytes in try IBeacon(advertisingData: bytes) }
    }

    @Test(
        "an iBeacon is found with or without flags, at any position, before any data",
        arguments: [
            Vector("27 bytes without flags", structure),
            Vector("30 bytes with flags 06", flags + structure),
            Vector("30 bytes with flags 1a", "02 01 1a\n" + structure),
            Vector("flags behind it", structure + flags),
            Vector("behind a name", name + structure),
            Vector("31 bytes with a battery level behind it", "02 01 06\n 1b ff\n" + body + "64"),
            Vector("31 bytes, padded with zeros", structure + "00 00 00 00"),
            Vector("padded with zeros and rubbish after them", structure + "00 ff ff ff"),
            Vector("behind another structure of Apple's", "05 ff 4c00 1000\n" + structure),
            Vector("followed by a structure that overruns", structure + "09 ff 4c"),
            Vector("followed by a second iBeacon", structure + structure + "00"),
            Vector(
                "in an extended advertisement of 60 bytes", structure + structure + "05 09 73686f70"
            ),
        ])
    func finds(vector: Vector) throws {
        #expect(try Self.read(vector.bytes) == Self.expected)
    }

    @Test(
        "other advertising data is no iBeacon",
        arguments: [
            Vector("nothing", ""),
            Vector("flags alone", flags),
            Vector("only padding", "00 00 00"),
            Vector("an iBeacon after the end of the significant part", "00" + structure),
            Vector("Apple nearby", "07 ff 4c00 1002 0b00"),
            Vector("Apple nearby action", "07 ff 4c00 0f02 0b00"),
            Vector("Apple handoff", "07 ff 4c00 0c02 0b00"),
            Vector("Apple find my", "07 ff 4c00 1202 0b00"),
            Vector(
                "as long as an iBeacon, but of Apple's type 0x10",
                "1a ff 4c00 10 15 e2c56db5dffb48d2b060d0f5a71096e0 1388 0f4e c1"),
            Vector(
                "the right type with another length",
                "1a ff 4c00 02 14 e2c56db5dffb48d2b060d0f5a71096e0 1388 0f4e c1"),
            Vector(
                "another company",
                "1a ff 4d00 02 15 e2c56db5dffb48d2b060d0f5a71096e0 1388 0f4e c1"),
            Vector(
                "the company identifier the wrong way round",
                "1a ff 004c 02 15 e2c56db5dffb48d2b060d0f5a71096e0 1388 0f4e c1"),
            Vector(
                "service data instead of manufacturer-specific data",
                "1a 16 4c00 02 15 e2c56db5dffb48d2b060d0f5a71096e0 1388 0f4e c1"),
            Vector(
                "one byte short",
                "19 ff 4c00 02 15 e2c56db5dffb48d2b060d0f5a71096e0 1388 0f4e"),
            Vector(
                "AltBeacon",
                "1b ff ffff beac e2c56db5dffb48d2b060d0f5a71096e0 005a 0005 c4 00"),
            Vector("an empty structure of a type", "01 ff 01 ff"),
        ])
    func rejects(vector: Vector) throws {
        #expect(try Self.read(vector.bytes) == nil)
    }

    @Test(
        "a structure that runs past the end is malformed at its offset",
        arguments: [
            (Vector("a length and nothing else", "05"), 0),
            (Vector("a type and too few data", "05 09 73"), 0),
            (Vector("behind flags", flags + "1a ff 4c00 0215"), 3),
            (
                Vector(
                    "an iBeacon without its last byte",
                    flags + "1a ff 4c00 0215 e2c56db5dffb48d2b060d0f5a71096e0 1388 0f4e"), 3
            ),
        ])
    func overruns(vector: Vector, offset: Int) {
        #expect(throws: AdvertisingData.Malformed(offset: offset)) {
            try Self.read(vector.bytes)
        }
    }

    @Test(
        "the measured power is any signed byte",
        arguments: [(UInt8(0xc5), Int8(-59)), (0x1a, 26), (0x64, 100), (0x80, -128), (0x00, 0)])
    func measuredPower(byte: UInt8, power: Int8) throws {
        var bytes = hex(Self.structure)
        bytes[26] = byte
        #expect(try Self.read(bytes)?.measuredPower == power)
    }

    @Test("the 30 bytes to advertise are the flags and the iBeacon structure")
    func encodes() {
        let bytes = Self.expected.advertisingData
        #expect(digits(bytes) == digits(hex("02 01 1a\n" + Self.structure)))
        #expect(bytes.count == 30)
    }

    @Test("encoding and decoding an iBeacon returns it")
    func readsBack() throws {
        for power in [Int8.min, -59, 0, .max] {
            let beacon = IBeacon(
                identity: BeaconIdentity(
                    uuid: ProximityUUID(high: .max, low: 1), major: .max, minor: 0),
                measuredPower: power)
            #expect(try Self.read(beacon.advertisingData) == beacon)
        }
    }
}
