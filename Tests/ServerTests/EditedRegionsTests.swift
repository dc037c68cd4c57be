import HTTP
import JSON
import Primitives
import ResultStore
import ServerConfiguration
import TestSupport
import Testing

@testable import Server

@Suite("regions that people set in the browser")
struct EditedRegionsTests {
    private static let rows = """
        uuid,major,minor,kind,name,measuredPower,until
        \(RegistrySite.uuid),1,1,fixed,shelf-17,-59,
        """
    private static let hall = """
        {"gateways": ["e"], "kind": "fixed", "beacons": [{"uuid": "\(RegistrySite.uuid)", "major": [1, 1]}]}
        """

    @Test("a region has states, is stored with its history, and can be removed")
    func region() throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        let (status, json) = try shop.change("hall", .put, Self.hall)
        #expect(status == .ok && json["source"] == "page")
        #expect(json["definition"]?["gateways"] == ["e"])
        #expect(shop.site.listed.regions.map(\.name) == ["hall"])
        var outlet = ResultOutlet(shop.configuration, posts: false)
        outlet.follow(shop.site)
        #expect(outlet.isEmpty)
        let results = try shop.pass(20, ["e": ["1/1": -60]], of: ["e", "t"])
        let row = try #require(results.regionChanges.first)
        #expect(!String(decoding: row.document, as: UTF8.self).contains(RegistrySite.uuid))
        shop.storeRegions(results)
        #expect(shop.due(.regions).map { $0["inside"] } == [1])
        let now = try shop.state.answer("/api/v1/sites")
        #expect(String(decoding: try shop.bytes(now), as: UTF8.self).contains(#"["hall"]"#))

        let again = shop.restarted()
        try again.restoreEditedRegions()
        #expect(again.definitions.map(\.source) == [.page])
        #expect(again.listed.regions == shop.site.listed.regions)
        #expect(again.regions?.estimator.now.map(\.region) == ["hall"])

        // The same again is no change.
        #expect(try shop.change("hall", .put, Self.hall).status == .ok)
        #expect(try shop.change("hall", .delete).status == .ok)
        #expect(shop.site.listed.regions.isEmpty && shop.site.regions == nil)
        // The retained state is removed from the broker.
        outlet.follow(shop.site)
        #expect(!outlet.isEmpty)
        #expect(try shop.change("hall", .delete).status == .notFound)
        shop.storeRegions(try shop.pass(1, [:], of: ["e", "t"]))
        let last = shop.restarted()
        try last.restoreEditedRegions()
        #expect(last.definitions.isEmpty)
        #expect(last.edited.changes.map { $0.layout == nil } == [false, true])
    }

    @Test("beacons that are inside stay so when another region is set")
    func kept() throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        _ = try shop.change("hall", .put, Self.hall)
        var batch = StoreBatch()
        batch.regionEvents = try shop.pass(90, ["e": ["1/1": -60]], of: ["e", "t"])
            .regionEvents.map(\.row)
        #expect(batch.regionEvents.count == 1)
        #expect(shop.store.commit(batch, at: .now) == .durable)
        _ = try shop.change("yard", .put, #"{"gateways": ["t"], "kind": "fixed"}"#)
        let results = try shop.pass(90, ["e": ["1/1": -60]], of: ["e", "t"])
        #expect(shop.due(.regions).map { $0["inside"] } == [1, 0])
        // It has entered once.
        #expect(results.regionEvents.isEmpty)
    }

    @Test(
        "a change is refused with one sentence",
        arguments: [
            ("hall", #"{"gateways": ["warehouse"], "kind": "fixed"}"#, "its gateways are e, t."),
            ("hall", #"{"gateways": [], "kind": "fixed"}"#, "at least one gateway"),
            ("hall", #"{"gateways": ["e"]}"#, "beacons or kind is required"),
            ("hall", #"{"gateways": ["e"], "kind": "dog"}"#, "kind"),
            ("hall", "[]", "a JSON object"),
            ("hall", "", "a JSON object"), ("a%20b", Self.hall, "region"),
        ])
    func refusals(name: String, body: String, words: String) throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        let (status, json) = try shop.change(name, .put, body)
        guard case .string(let detail)? = json["detail"] else { throw TestFailure("no detail") }
        #expect(status == .badRequest && detail.contains(words), "\(detail)")
        #expect(shop.site.definitions.isEmpty)
    }

    @Test("a region of the server's file is read only")
    func file() throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        var configuration = shop.configuration
        configuration.sites[0].regions = [
            .init {
                $0.name = "hall"
                $0.gateways = ["e"]
                $0.kind = .fixed
            }
        ]
        let site = shop.restarted(configuration)
        #expect(site.definitions.map(\.source) == [.file])
        #expect(throws: Problem.self) {
            try site.set("hall", nil, by: "t", wall: shop.start)
        }
    }
}

extension RegistrySite {
    fileprivate func change(
        _ region: String, _ method: HTTP.Method, _ body: String = ""
    ) throws -> (status: Status, json: JSON) {
        let answer = try state.answer(
            "/api/v1/sites/s/definitions/\(region)", method, body: body, scope: .manage)
        return (answer.status, try JSON(parsing: try bytes(answer), maxBytes: 1 << 20))
    }

    fileprivate func storeRegions(_ results: Site.Results) {
        var batch = StoreBatch()
        batch.regionChanges = results.regionChanges
        #expect(!results.regionChanges.isEmpty)
        #expect(store.commit(batch, at: .now) == .durable)
    }
}
