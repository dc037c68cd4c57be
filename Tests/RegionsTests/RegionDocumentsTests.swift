import Beacons
import Facts
import Foundation
import JSON
import Primitives
import TestSupport
import Testing

@testable import Regions

/// The documents of regions are those of the examples in `config/contract`.
@Suite("documents of regions")
struct RegionDocumentsTests {
    private static func events() -> [RegionEvent] {
        var estimator = RegionEstimator(Scene.table())
        for window in Scene.windows(0..<900, heard: { $0 < 300 || $0 > 600 }, deaf: 700..<800) {
            estimator.take(window, from: "a")
        }
        return estimator.finish().map(\.event)
    }

    @Test("an event has its evidence", arguments: RegionEvent.Kind.allCases)
    func events(kind: RegionEvent.Kind) throws {
        let event = try #require(Self.events().first { $0.kind == kind })
        let result = RegionEventResult(
            site: "store-042", event, of: Scene.subject, isWithdrawn: false)
        #expect(try Checkout.isResult("region-event.\(kind.rawValue)", result.json.text))
        #expect(result.json["beacon"] == nil)
    }

    @Test("a withdrawal names the event that did not happen")
    func withdrawal() throws {
        let event = try #require(Self.events().first { $0.kind == .exit })
        let identity = try #require(
            BeaconIdentity("e2c56db5-dffb-48d2-b060-d0f5a71096e0/42/7"))
        let subject = RegionTable.Subject(regions: [0], kind: .fixed, identity: identity)
        let first = RegionEventResult(site: "store-042", event, of: subject, isWithdrawn: false)
        let undone = RegionEventResult(site: "store-042", event, of: subject, isWithdrawn: true)
        #expect(try Checkout.isResult("region-event.withdrawn", undone.json.text))
        #expect(undone.json["of"] == .string(first.id))
        #expect(undone.id != first.id)
        // Published again, and withdrawn again.
        let again = [false, true].map {
            RegionEventResult(
                site: "store-042", event, of: subject, isWithdrawn: $0, revision: 1)
        }
        #expect(Set([first.id, undone.id] + again.map(\.id)).count == 4)
        #expect(again[1].json["of"] == .string(again[0].id))
        #expect(undone.json["tag"] == nil)
    }

    @Test("a state has numbers only where a gateway listens", arguments: ["known", "unknown"])
    func states(state: String) throws {
        var estimator = RegionEstimator(Scene.table(gateways: ["entry-1", "till-1"]))
        for window in Scene.windows(
            0..<60, heard: { _ in true }, deaf: state == "known" ? 0..<0 : 30..<60)
        {
            estimator.take(window, from: "entry-1")
        }
        _ = estimator.advance(through: Scene.second(60))
        let now = try #require(estimator.now.first)
        let result = RegionResult(site: "store-042", now, rev: 812, isDurable: true)
        #expect(try Checkout.isResult("region.\(state)", result.json.text))
        #expect((result.json["inside"] == .null) == (state == "unknown"))
    }

    @Test("beacons near a gateway that has gone may be in the region")
    func degraded() throws {
        var estimator = RegionEstimator(Scene.table(gateways: ["entry-1", "till-1"]))
        for second in 0..<60 {
            estimator.take(Scene.window(second), from: "entry-1")
            let isDeaf = second >= 30
            estimator.take(
                Scene.window(
                    second, isDeaf ? [:] : [Scene.visitor: 2, Scene.other: 2],
                    state: isDeaf ? .deaf : .hearing), from: "till-1")
        }
        _ = estimator.advance(through: Scene.second(60))
        let now = try #require(estimator.now.first)
        let result = RegionResult(site: "store-042", now, rev: 813, isDurable: true)
        #expect(try Checkout.isResult("region.degraded", result.json.text))
        #expect(now.inside == 0)
        #expect(now.unknown == 2)
    }
}
