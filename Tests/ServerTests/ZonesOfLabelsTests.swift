import JSON
import Primitives
import ServerConfiguration
import TestSupport
import Testing

@testable import Server

@Suite("zones by labels alone, of a site without a plan")
struct ZonesOfLabelsTests {
    private static let rows = """
        uuid,major,minor,kind,name,measuredPower,until
        \(RegistrySite.uuid),1,1,fixed,shelf-17,-59,
        \(RegistrySite.uuid),1,2,asset,walker,-59,
        """

    /// Near the entry, or near the till.
    private static func heard(
        _ beacon: String, atEntry: Bool, by difference: Double = 0
    ) -> [String: [String: Double]] {
        let (near, far) = (-55 + difference, -80 + difference)
        return ["e": [beacon: atEntry ? near : far], "t": [beacon: atEntry ? far : near]]
    }

    private static func stand(
        in zone: String, _ shop: RegistrySite, atEntry: Bool
    ) throws -> Site.Results {
        let request = try LabelRequest(Array(#"{"beacon": "walker", "zone": "\#(zone)"}"#.utf8))
        _ = try shop.site.add(request, wall: shop.start + .seconds(shop.second))
        return try shop.pass(100, heard("1/2", atEntry: atEntry), of: ["e", "t"])
    }

    @Test("two zones that somebody has walked to have probabilities, without a place")
    func zones() throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        shop.store(try Self.stand(in: "sales", shop, atEntry: true))
        #expect(shop.site.listed.planZones == ["sales"])
        // A beacon would always be in the only zone.
        let only = try #require(shop.due(.zones).first)
        #expect(only["state"] == "unknown" && only["things"] == .null)
        #expect(shop.placesOfAll().allSatisfy { $0["state"] == "unknown" })

        shop.store(try Self.stand(in: "stock", shop, atEntry: false))
        #expect(shop.site.ranging?.labels.labels.map(\.state) == [.learnt, .learnt])
        // 2 dB less than the beacon of the labels.
        _ = try shop.pass(30, Self.heard("1/1", atEntry: true, by: -2), of: ["e", "t"])
        let shelf = try #require(
            shop.placesOfAll().first { $0["name"] == "shelf-17" && $0["state"] == "zoned" })
        #expect(shelf["zone"] == "sales" && shelf["place"] == .null && shelf["nearest"] == .null)
        guard case .array(let gateways)? = shelf["gateways"] else { throw TestFailure("none") }
        #expect(gateways.map { $0["gateway"] } == ["e", "t"])
        #expect(gateways.allSatisfy { $0["m"] == .null && $0["level"] != .null })
        let zones = shop.due(.zones)
        #expect(zones.map { $0["zone"] } == ["sales", "stock"])
        #expect(zones.map { $0["state"] } == ["ok", "ok"])
        #expect(zones[0]["things"]?["high"] == 1)

        let again = shop.restarted()
        try again.restoreLabels()
        #expect(again.listed.planZones == ["sales", "stock"])
        #expect(
            again.ranging?.labels.labels.map(\.known)
                == shop.site.ranging?.labels.labels.map(\.known))
        #expect(again.ranging?.estimator.hasZonesByLabels == true)
    }

    @Test("without a plan, a label has no point, and the plan says what is missing")
    func refusals() throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        for (body, words) in [
            (#"{"beacon": "walker", "zone": "sales", "x": 1, "y": 1}"#, "the site has none"),
            (#"{"beacon": "walker", "zone": "a/b"}"#, "it must be"),
        ] {
            let (status, json) = try shop.post(body)
            guard case .string(let detail)? = json["detail"] else { throw TestFailure("none") }
            #expect(status == .badRequest && detail.contains(words), "\(detail)")
        }
        #expect(shop.site.listed.planZones.isEmpty)
        let plan = try shop.state.answer("/api/v1/sites/s/plan")
        #expect(plan.status == .notFound)
        #expect(String(decoding: try shop.bytes(plan), as: UTF8.self).contains("the key plan"))
        let labels = try shop.state.answer("/api/v1/sites/s/labels")
        #expect(labels.status == .ok)
    }
}

extension RegistrySite {
    /// The states of places that are due in ten calls.
    fileprivate func placesOfAll() -> [JSON] { (0..<10).flatMap { _ in due(.places) } }
}
