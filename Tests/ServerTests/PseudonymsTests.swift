import Beacons
import Testing

@testable import Server

// The expectation is from Python: hmac.new(bytes(range(32)), uuid + b"\0\x2a\0\7", "sha256").digest()[:8]
@Suite("pseudonyms")
struct PseudonymsTests {
    @Test("a tag is the beginning of HMAC-SHA256 of UUID, major and minor")
    func tag() throws {
        let uuid = try #require(ProximityUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0"))
        var pseudonyms = Pseudonyms(key: Array(0..<32))
        let identity = BeaconIdentity(uuid: uuid, major: 42, minor: 7)
        let tag = pseudonyms.tag(identity)
        let again = pseudonyms.tag(identity)
        #expect(tag.rawValue == 0x47c9_f282_30cc_a5ff)
        #expect(again == tag)
        var others = Pseudonyms(key: Array(1..<33))
        let other = others.tag(identity)
        #expect(other != tag)
    }
}
