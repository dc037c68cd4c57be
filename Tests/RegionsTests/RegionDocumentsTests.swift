import Beacons
import Facts
import Foundation
import JSON
import Primitives
import Testing

@testable import Regions

/// The documents of regions are those of the examples in `config/contract`.
@Suite("documents of regions")
struct RegionDocumentsTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("config/contract/examples/results")

    /// With SIGHTLINE_WRITE_EXAMPLES in the environment, it writes the example's file. Examine the change before the commit.
    private static func check(_ document: JSON, _ name: String) throws {
        let file = folder.appendingPathComponent("\(name).json")
        if ProcessInfo.processInfo.environment["SIGHTLINE_WRITE_EXAMPLES"] != nil {
            try Data((document.text + "\n").utf8).write(to: file)
        }
        #expect(try Data(contentsOf: file) == Data((document.text + "\n").utf8))
    }

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
        try Self.check(result.json, "region-event.\(kind.rawValue)")
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
        try Self.check(undone.json, "region-event.withdrawn")
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
        try Self.check(result.json, "region.\(state)")
        #expect((result.json["inside"] == .null) == (state == "unknown"))
    }
}
