import Beacons
import Configuration
import Contract
import Facts
import HTTP
import JSON
import Posix
import Primitives
import Queueing
import Ranging
import ResultStore
import ServerConfiguration
import Sightings
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("labels of places, of a server's beacons")
struct SiteLabelsTests {
    @Test("an edit of the registry keeps places and running labels, and retires a beacon")
    func editedRegistry() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(110, SiteRangingTests.heard(["1/1"]))
        _ = try shop.post(#"{"beacon": "shelf-17", "zone": "sales"}"#)
        _ = try shop.pass(40, SiteRangingTests.heard(["1/1"]))
        let more = try RegistrySite(
            rows: SiteRangingTests.registry + "\(RegistrySite.uuid),1,2,fixed,shelf-18,-59,\n")
        try shop.site.use(more.registries, wall: shop.start + .seconds(150))
        #expect(shop.site.ranging?.labels.labels.map(\.state) == [.standing])
        _ = try shop.pass(40, SiteRangingTests.heard(["1/1", "1/2"]))
        let beacon = try #require(BeaconIdentity("\(RegistrySite.uuid)/1/2"))
        #expect(shop.site.ranging?.labels.labels.map(\.state) == [.learnt])
        #expect(shop.site.ranging?.estimator.now(Tag(beacon), []).state == .known)
        let old = SiteRangingTests.registry.replacing(
            "shelf-17,-59,", with: "shelf-17,-59,2020-01-01")
        try shop.site.use(try RegistrySite(rows: old).registries, wall: shop.start + .seconds(190))
        #expect(try shop.places().map { $0["state"] } == ["retired"])
    }

    @Test("labels of the store join one that came before them, once")
    func lateRestore() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(110, SiteRangingTests.heard(["1/1"]))
        _ = try shop.post(#"{"beacon": "shelf-17", "zone": "sales"}"#)
        shop.store(try shop.pass(80, SiteRangingTests.heard(["1/1"])))
        let again = shop.restarted()
        let request = try LabelRequest(Array(#"{"beacon": "shelf-17", "zone": "store"}"#.utf8))
        _ = try again.add(request, wall: shop.start + .seconds(300))
        try again.restoreLabels()
        #expect(again.ranging?.labels.labels.map(\.state) == [.learnt, .standing])
        try again.restoreLabels()
        #expect(again.ranging?.labels.labels.count == 2)
    }

    @Test("a stored label teaches nothing of a gateway that has moved")
    func movedGateway() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(110, SiteRangingTests.heard(["1/1"]))
        _ = try shop.post(#"{"beacon": "shelf-17", "zone": "sales"}"#)
        shop.store(try shop.pass(80, SiteRangingTests.heard(["1/1"])))
        let other = try RegistrySite(
            plan: SiteRangingTests.plan.replacing("[9, 1]", with: "[9, 2]"))
        try shop.site.use(other.registries, wall: shop.start + .seconds(200))
        let levels = try #require(shop.site.ranging?.labels.known.first).levels
        #expect(levels.map { $0 == nil } == [false, true, false])
    }

    @Test("a beacon that stands in a zone is learnt, stored, and known after a restart")
    func label() throws {
        let shop = try RegistrySite()
        // The server's clock of the test stands at two minutes.
        _ = try shop.pass(110, SiteRangingTests.heard(["1/1"]))
        let (status, json) = try shop.post(#"{"beacon": "SHELF-17", "zone": "sales"}"#)
        #expect(status == .ok)
        #expect(json["beacon"] == .string(SiteRangingTests.shelf))
        #expect(json["state"] == "standing")
        let results = try shop.pass(80, SiteRangingTests.heard(["1/1"]))
        let label = try #require(shop.site.ranging?.labels.labels.first)
        #expect(label.state == .learnt)
        #expect(shop.site.ranging?.estimator.fit.count == 3)
        let row = try #require(results.placeLabels.first)
        #expect(!String(decoding: row.document, as: UTF8.self).contains(RegistrySite.uuid))
        #expect(!row.beacon.contains(RegistrySite.uuid))
        shop.store(results)

        let again = shop.restarted()
        try again.restoreLabels()
        #expect(again.ranging?.labels.labels.map(\.state) == [.learnt])
        #expect(again.ranging?.labels.labels.first?.known == label.known)
        let second = UnixSecond(containing: shop.start + .seconds(200))
        for _ in 0..<5 { _ = again.advance(through: second) }
        #expect(again.ranging?.estimator.fit.count == 3)
    }

    @Test("a removed label is forgotten by the model and the store")
    func removed() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(110, SiteRangingTests.heard(["1/1"]))
        _ = try shop.post(#"{"beacon": "shelf-17", "zone": "sales"}"#)
        shop.store(try shop.pass(80, SiteRangingTests.heard(["1/1"])))
        #expect(shop.site.ranging?.estimator.fit.count == 3)
        let id = try #require(shop.site.ranging?.labels.labels.first?.id)
        let unknown = try shop.state.answer(
            "/api/v1/sites/s/labels/0a", .delete, scope: .manage)
        #expect(unknown.status == .notFound)
        let answer = try shop.state.answer(
            "/api/v1/sites/s/labels/\(id)", .delete, scope: .manage)
        #expect(answer.status == .ok)
        #expect(shop.site.ranging?.labels.labels.isEmpty == true)
        shop.store(try shop.pass(10, SiteRangingTests.heard(["1/1"])))
        #expect(shop.site.ranging?.estimator.fit.count == 0)
        let again = shop.restarted()
        try again.restoreLabels()
        #expect(again.ranging?.labels.labels.isEmpty == true)
    }

    @Test("a label that is removed while its beacon stands is not learnt")
    func removedEarly() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(110, SiteRangingTests.heard(["1/1"]))
        _ = try shop.post(#"{"beacon": "shelf-17", "zone": "sales"}"#)
        let id = try #require(shop.site.ranging?.labels.labels.first?.id)
        _ = try shop.state.answer("/api/v1/sites/s/labels/\(id)", .delete, scope: .manage)
        #expect(try shop.pass(80, SiteRangingTests.heard(["1/1"])).placeLabels.isEmpty)
        #expect(shop.site.ranging?.estimator.fit.count == 0)
    }

    @Test("a beacon that no gateway hears is no label")
    func unheard() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(110, SiteRangingTests.heard(["2/1"]))
        _ = try shop.post(#"{"beacon": "shelf-17", "zone": "sales"}"#)
        let results = try shop.pass(80, [:])
        #expect(results.placeLabels.isEmpty)
        #expect(shop.site.ranging?.labels.labels.map(\.state) == [.unheard])
        let list = try shop.state.answer("/api/v1/sites/s/labels")
        #expect(String(decoding: try shop.bytes(list), as: UTF8.self).contains("unheard"))
    }

    @Test(
        "a label is refused with one sentence",
        arguments: [
            (#"{"beacon": "shelf-17", "zone": "salse"}"#, "did you mean “sales”?"),
            (#"{"beacon": "shelf-17", "zone": "roof"}"#, "its zones are sales, store."),
            (#"{"beacon": "shef-17", "zone": "sales"}"#, "did you mean “shelf-17”?"),
            (
                #"{"beacon": "e2c56db5-dffb-48d2-b060-d0f5a71096e0/2/1", "zone": "sales"}"#,
                "is no fixed beacon, gateway or asset"
            ),
            (#"{"beacon": "shelf-17", "zone": "sales", "x": 8, "y": 1}"#, "outside of the zone"),
            (#"{"beacon": "shelf-17", "zone": "sales", "x": 8}"#, "x and y belong together"),
            (#"{"beacon": "shelf-17"}"#, "zone"), ("", "can't be read"), ("[]", "object"),
            (#"{"beacon": "shelf-17", "zone": "sales", "seconds": 9}"#, "10"),
        ])
    func refusals(body: String, words: String) throws {
        let shop = try RegistrySite()
        let (status, json) = try shop.post(body)
        #expect(status == .notFound || status == .badRequest)
        guard case .string(let detail)? = json["detail"] else { throw TestFailure("no detail") }
        #expect(detail.contains(words), "\(detail)")
        #expect(shop.site.ranging?.labels.labels.isEmpty == true)
    }

    @Test("a beacon stands for one label at a time")
    func conflict() throws {
        let shop = try RegistrySite()
        #expect(try shop.post(#"{"beacon": "shelf-17", "zone": "sales"}"#).status == .ok)
        #expect(try shop.post(#"{"beacon": "shelf-17", "zone": "store"}"#).status == .conflict)
    }
}
