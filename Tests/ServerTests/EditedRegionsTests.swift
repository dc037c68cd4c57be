import Facts
import HTTP
import JSON
import Logging
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

    @Test("a region of one beacon is refused, unless the beacon is on a thing")
    func single() throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        func status(_ major: Int, _ minor: Int) throws -> Status {
            let range =
                #"{"uuid":"\#(RegistrySite.uuid)","major":[\#(major),\#(major)],"#
                + #""minor":[\#(minor),\#(minor)]}"#
            let body = #"{"gateways":["e"],"beacons":[\#(range)]}"#
            return try shop.change("one", .put, body).status
        }
        #expect(try status(1, 1) == .ok)
        #expect(try status(60000, 9) == .badRequest)
    }

    @Test("a region stays however often another one changes")
    func often() throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        _ = try shop.change("hall", .put, Self.hall)
        let first = try #require(shop.site.edited.changes.first)
        var edited = shop.site.edited
        for number in 1...2 * EditedRegions.mostChanges {
            edited.add(
                .init(
                    at: first.at + .milliseconds(number), region: "yard", client: "x",
                    layout: number.isMultiple(of: 2) ? first.layout : nil))
        }
        #expect(edited.changes.count == EditedRegions.mostChanges)
        #expect(edited.changes.first?.region == "hall")
        #expect(edited.changes.last?.at == first.at + .milliseconds(2 * EditedRegions.mostChanges))
    }

    @Test("a change is no result that may be withheld, and is stored once")
    func edits() throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        _ = try shop.change("hall", .put, Self.hall)
        let results = shop.site.advance(through: UnixSecond(containing: shop.start))
        #expect(results.regionChanges.isEmpty)
        var turns = FoldingTurns(log: Log(level: .error))
        var (batch, next) = (StoreBatch(), StoreBatch())
        turns.add(to: &batch, editsOf: [shop.site])
        #expect(batch.regionChanges.map(\.region) == ["hall"])
        _ = turns.uncommitted.take()
        turns.add(to: &next, editsOf: [shop.site])
        #expect(next.regionChanges.isEmpty)
    }

    @Test("changes that were made before the store was open follow those of earlier runs")
    func late() throws {
        let shop = try RegistrySite(registry: Self.rows, plan: nil)
        _ = try shop.change("hall", .put, Self.hall)
        let rows = shop.site.takeEdits().regionChanges
        let earlier = StoreBatch.RegionChange(
            site: "s", at: rows[0].at - .seconds(60), region: "yard", client: "x",
            document: Array(#"{"region":"yard","gateways":["e"],"kind":"fixed"}"#.utf8))
        let again = shop.restarted()
        again.edited.add(try #require(shop.site.edited.changes.first))
        again.edited.restore([earlier] + rows, [])
        #expect(again.edited.changes.map(\.region) == ["yard", "hall"])
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
