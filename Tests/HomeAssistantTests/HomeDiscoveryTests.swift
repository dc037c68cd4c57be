import Beacons
import Contract
import Foundation
import HomeAssistant
import JSON
import Sightings
import TestSupport
import TestVectors
import Testing

@Suite struct HomeDiscoveryTests {
    private static let forklift = Tracker(
        name: "Forklift", identity: Advertisements.beacon(9).identity)

    private static func discovery(
        _ site: String = "store-042", _ gateway: String = "entry-1", trackers: [Tracker] = []
    ) throws -> HomeDiscovery {
        HomeDiscovery(
            prefix: "homeassistant", topics: try #require(Topics(site: site, gateway: gateway)),
            version: "0.1.0", trackers: trackers)
    }

    private static func components(_ bytes: [UInt8]) throws -> [JSON.Member] {
        let json = try JSON(parsing: bytes, maxBytes: 1 << 20)
        guard case .object(let members)? = json["components"] else { return [] }
        return members
    }

    @Test(
        "No two gateways share a discovery topic, and its levels have no dots",
        arguments: [
            ("store-042", "entry-1", "store-042/entry-1"), ("a.b", "c", "a_db/c"),
            ("a_b", "c", "a__b/c"), ("a_db", "c", "a__db/c"), ("a", "_.", "a/___d"),
        ])
    func topics(site: String, gateway: String, levels: String) throws {
        #expect(try Self.discovery(site, gateway).topic == "homeassistant/device/\(levels)/config")
    }

    @Test("the document equals the committed one")
    func document() throws {
        let written = try Self.discovery(trackers: [Self.forklift]).encoded + [UInt8(ascii: "\n")]
        #expect(try Checkout.example("Tests/Contract/discovery.json", written: written) == written)
    }

    @Test("Every entity has an identity of its own, which stays when a tracker is renamed")
    func identities() throws {
        let bytes = try Self.discovery(trackers: [Self.forklift]).encoded
        let components = try Self.components(bytes)
        let ids = components.compactMap { $0.value["unique_id"] }
        #expect(Set(ids.map(\.text)).count == components.count)
        let renamed = Tracker(name: "Truck", identity: Self.forklift.identity)
        let others = try Self.components(try Self.discovery(trackers: [renamed]).encoded)
        #expect(components.map(\.key) == others.map(\.key))
        #expect(components.last?.value["name"]?.text == "\"Forklift\"")
    }

    @Test("Only a tracker that is no longer chosen is removed")
    func retraction() throws {
        let before = try Self.discovery(trackers: [Self.forklift])
        let after = try Self.discovery()
        #expect(after.retraction(of: after.encoded) == nil)
        #expect(before.retraction(of: after.encoded) == nil)
        let retraction = try #require(after.retraction(of: before.encoded))
        let components = try Self.components(retraction)
        let earlier = try Self.components(before.encoded)
        #expect(components.count == earlier.count)
        #expect(components.last?.value.text == #"{"platform":"device_tracker"}"#)
        #expect(components.last?.key == earlier.last?.key)
    }

    @Test(
        "A foreign retained document at the topic does no harm",
        arguments: [
            "", "{", "null", "[]", "{}", #"{"components":1}"#, #"{"components":{"a":1}}"#,
            #"{"components":{"a":{"platform":7}}}"#, #"{"components":{"a":{"platform":"lock"}}}"#,
        ])
    func foreign(text: String) throws {
        #expect(try Self.discovery().retraction(of: Array(text.utf8)) == nil)
    }
}
