import Beacons
import Testing

@Suite("beacon identities")
struct BeaconIdentityTests {
    private let uuid = ProximityUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)

    @Test("an iBeacon's identity has its UUID, major and minor")
    func iBeacon() {
        let identity = BeaconIdentity(uuid: uuid, major: 42, minor: 7)
        #expect(identity.isIBeacon)
        #expect(identity.format == .iBeacon)
        #expect((identity.uuid, identity.major, identity.minor) == (uuid, 42, 7))
        #expect(identity.bytes == uuid.bytes + [0, 42, 0, 7])
        #expect("\(identity)" == "e2c56db5-dffb-48d2-b060-d0f5a71096e0/42/7")
    }

    @Test("the same bytes in another format are another identity")
    func formats() {
        let identities = BeaconIdentity.Format.allCases.map {
            BeaconIdentity($0, prefix: uuid, suffix: 0x002a_0007)
        }
        #expect(Set(identities).count == 3)
        #expect(identities.map(\.format) == BeaconIdentity.Format.allCases)
        #expect(identities[0] == BeaconIdentity(uuid: uuid, major: 42, minor: 7))
        #expect(identities.filter(\.isIBeacon) == [identities[0]])
    }

    @Test("an Eddystone-UID is written as namespace and instance, an AltBeacon as one number")
    func descriptions() {
        let eddystone = BeaconIdentity(.eddystoneUID, prefix: uuid)
        #expect("\(eddystone)" == "e2c56db5dffb48d2b060/d0f5a71096e0")
        let altBeacon = BeaconIdentity(.altBeacon, prefix: uuid, suffix: 0x002a_0007)
        #expect("\(altBeacon)" == "e2c56db5dffb48d2b060d0f5a71096e0002a0007")
    }

    @Test("the description of an identity is read back")
    func readBack() {
        for format in BeaconIdentity.Format.allCases {
            let suffix: UInt32 = format == .eddystoneUID ? 0 : 0x0001_ffff
            let identity = BeaconIdentity(
                format, prefix: ProximityUUID(high: 0x0123_4567_89ab_cdef, low: 5), suffix: suffix)
            #expect(BeaconIdentity("\(identity)") == identity)
            #expect(BeaconIdentity("\(identity)".uppercased()) == identity)
            #expect(BeaconIdentity("\(identity)0") == nil)
            #expect(BeaconIdentity(String("\(identity)".dropFirst())) == nil)
        }
        for text in ["", "/", "//", "a/b/c/d", String(repeating: "+", count: 40)] {
            #expect(BeaconIdentity(text) == nil)
        }
    }
}
