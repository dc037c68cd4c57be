import Facts
import Foundation
import JSON
import Primitives
import Queueing
import Sightings
import Testing

@testable import Ranging

extension RangingEstimatorTests {
    @Test("no zone outlives an absence")
    func forgottenZone() {
        var shop = Shop(seed: 4)
        shop.pass(30, [Self.shelf: Self.place(2, 4)])
        #expect(shop.now().zone == "west")
        shop.pass(60, [:])
        shop.pass(12, [Self.shelf: Self.place(6, 4)])
        let now = shop.now()
        #expect(now.state == .known)
        #expect(now.zones.allSatisfy { $0.probability < ZoneDecision.sure })
        #expect(now.zone == nil)
    }

    @Test("a beacon that stands in a zone becomes a label in the zone, and the model learns it")
    func standing() throws {
        var shop = Shop()
        shop.pass(150, [Self.shelf: Self.place(9, 4)])
        var estimator = shop.estimator()
        let standing = LabelTask(
            tag: Self.shelf, zone: 1, point: nil,
            seconds: Self.start.advanced(by: 5)..<Self.start.advanced(by: 65))
        estimator.expect(standing)
        let heard = estimator.finish()
        #expect(heard.map(\.task) == [standing])
        let label = try #require(heard.first.flatMap { estimator.label($0) })
        #expect(shop.room.plan.zones[1].outline.contains(try #require(label.place).point))
        #expect(label.levels.allSatisfy { $0 != nil })
        #expect(estimator.fit.count == 0)
        estimator.learn([label])
        for _ in 0..<5 { _ = estimator.advance(through: shop.end) }
        #expect(estimator.fit.count == 4)
        #expect(!estimator.isBehind)
    }

    @Test("the place of a label is in its zone, also in a concave one")
    func concaveZone() throws {
        let room = SimulatedRoom(seed: 1).plan
        let corners = [(0, 0), (12, 0), (12, 1), (1, 1), (1, 8), (0, 8)].map { PlanPoint($0, $1) }
        let plan = FloorPlan(
            floor: room.floor, gateways: room.gateways,
            zones: [.init("aisle", PlanPolygon(corners))])
        let model = RangingModel(plan, labels: [], claimed: [])
        let levels: [Double?] = [-75, -75, -75, -75]
        let place = model.place(levels, power: TagPower(claimed: -59), in: 0)
        #expect(plan.zones[0].outline.contains(place))
    }

    @Test("a zone has the expected number of persons with an interval")
    func zones() {
        var shop = Shop()
        let visitors = (10..<20).map { (Tag(rawValue: $0), Self.place(2, 1 + Double($0 % 6))) }
        shop.pass(20, Dictionary(uniqueKeysWithValues: visitors))
        var estimator = shop.estimator()
        _ = estimator.finish()
        let zones = estimator.zones(estimator.absent)
        #expect(zones.map(\.zone) == ["west", "east"])
        let west = zones[0].byKind[.visitor]
        #expect((8.0...10).contains(west?.expected ?? 0))
        #expect((west?.low ?? 0) >= 7 && west?.high ?? 0 <= 10)
        #expect(zones[0].byKind[.fixed] == nil)
    }

    @Test("a sum of cells that is a little more than 1 is one beacon")
    func roundedProbability() {
        let count = ZoneNow.Count([1.000_000_1])
        #expect(count.low == 1 && count.high == 1 && count.expected == 1)
        #expect(ZoneNow.Count([.nan]) == ZoneNow.Count([]))
    }

    @Test("the numbers of all zones are no more than the beacons")
    func sumOfZones() {
        var shop = Shop()
        let visitors = (10..<13).map { (Tag(rawValue: $0), Self.place(6, 4)) }
        shop.pass(20, Dictionary(uniqueKeysWithValues: visitors))
        var estimator = shop.estimator()
        _ = estimator.finish()
        let counts = estimator.zones([]).compactMap { $0.byKind[.visitor]?.expected }
        #expect(abs(counts.reduce(0, +) - 3) < 0.01)
        #expect(counts.allSatisfy { $0 != $0.rounded() })
    }

    @Test(
        "a zone has no number if its nearest gateway or all but one are deaf",
        arguments: [
            ([], [.ok, .ok]), ([1, 2, 3], [.unknown, .unknown]), ([1], [.degraded, .unknown]),
            ([2], [.degraded, .degraded]), ([0], [.unknown, .degraded]),
        ] as [(Set<Int>, [ZoneNow.State])])
    func deafZones(deaf: Set<Int>, states: [ZoneNow.State]) {
        var shop = Shop()
        shop.pass(30, [:], deaf: deaf)
        var estimator = shop.estimator()
        _ = estimator.finish()
        let zones = estimator.zones(estimator.absent)
        #expect(zones.map(\.state) == states)
        for zone in zones {
            let json = ZoneResult(site: "s", zone, rev: 1, isDurable: true).json
            #expect((json["visitors"] == .null) == (zone.state == .unknown))
        }
    }
}
