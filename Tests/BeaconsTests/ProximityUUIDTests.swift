import Testing

@testable import Beacons

@Suite struct ProximityUUIDTests {
    private static let uuid = ProximityUUID(
        high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)

    @Test(
        "a UUID is read in upper or lower case, with or without hyphens",
        arguments: [
            "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0",
            "e2C56db5-dffb-48D2-b060-d0f5a71096E0", "e2c56db5dffb48d2b060d0f5a71096e0",
            "E2C56DB5DFFB48D2B060D0F5A71096E0",
        ])
    func reads(text: String) {
        #expect(ProximityUUID(text) == Self.uuid)
    }

    @Test(
        "invalid UUIDs are refused",
        arguments: [
            "", "-", "e2c56db5-dffb-48d2-b060-d0f5a71096e", "e2c56db5-dffb-48d2-b060-d0f5a71096e00",
            "e2c56db5dffb48d2b060d0f5a71096e", "e2c56db5dffb48d2b060d0f5a71096e01",
            "e2c56db5-dffb-48d2-b060-d0f5a71096eg", "e2c56db5-dffb-48d2-b060d-0f5a71096e0",
            "e2c56db-5dffb-48d2-b060-d0f5a71096e0", "e2c56db5_dffb_48d2_b060_d0f5a71096e0",
            "{e2c56db5-dffb-48d2-b060-d0f5a71096e0}", " e2c56db5dffb48d2b060d0f5a71096e",
            "e2c56db5-dffb-48d2-b060-d0f5a71096é", "--------------------------------",
            "e2c56db5dffb48d2b060d0f5a710\u{0}\u{0}\u{0}\u{0}",
        ])
    func refuses(text: String) {
        #expect(ProximityUUID(text) == nil)
    }

    @Test("a UUID prints in lower case with hyphens")
    func writes() {
        #expect("\(Self.uuid)" == "e2c56db5-dffb-48d2-b060-d0f5a71096e0")
        #expect(
            "\(ProximityUUID(high: 0, low: 0x0f))" == "00000000-0000-0000-0000-00000000000f")
    }

    @Test("a UUID has its bytes in transmission order")
    func bytes() {
        #expect(
            ProximityUUID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f).bytes
                == Array(0...15))
    }

    @Test("an identity prints as UUID, major and minor")
    func identity() {
        let identity = BeaconIdentity(uuid: Self.uuid, major: 65535, minor: 0)
        #expect("\(identity)" == "e2c56db5-dffb-48d2-b060-d0f5a71096e0/65535/0")
    }
}
