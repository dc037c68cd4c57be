import Facts
import Foundation
import JSON
import Primitives
import Queueing
import Sightings
import TestSupport
import Testing

@testable import Ranging

@Suite("places of a site's beacons")
struct RangingEstimatorTests {
    typealias Tag = Facts.Tag

    static let start = UnixSecond(1_780_002_000)
    static let shelf = Tag(rawValue: 3)
    private static let thing = Tag(rawValue: 4)

    struct Message {
        let gateway: String
        let window: WindowFact
        let claimed: Double
    }

    /// What each gateway of the room hears of beacons at these places, second by second.
    struct Shop {
        var room: SimulatedRoom
        var messages: [Message] = []
        var second = 0

        init(seed: UInt64 = 1) { room = SimulatedRoom(seed: seed) }

        mutating func pass(
            _ seconds: Int, _ beacons: [Tag: RoomPlace], noise: Double = 2,
            from hearing: Set<Int> = [0, 1, 2, 3], deaf: Set<Int> = [], senders: Int = 1,
            claimed: Double = -59
        ) {
            for _ in 0..<seconds {
                let span = start.advanced(by: second).span
                let levels = beacons.sorted { $0.key < $1.key }.map {
                    ($0.key, room.levels(at: $0.value, noise: noise))
                }
                for gateway in room.plan.gateways.indices {
                    let readings = levels.compactMap { tag, levels -> Reading? in
                        guard hearing.contains(gateway), !deaf.contains(gateway),
                            let level = levels[gateway]
                        else { return nil }
                        return Reading(
                            tag: tag, power: level, count: 2,
                            seen: span.lowerBound...span.lowerBound, senders: senders)
                    }
                    messages.append(
                        Message(
                            gateway: "g\(gateway)",
                            window: WindowFact(
                                session: "1", numbers: UInt64(second)...UInt64(second),
                                span: span, state: deaf.contains(gateway) ? .deaf : .hearing,
                                readings: readings), claimed: claimed))
                }
                second += 1
            }
        }

        var end: UnixSecond { start.advanced(by: second) }

        func estimator(_ messages: [Message]? = nil) -> RangingEstimator {
            var estimator = RangingEstimator(room.plan)
            for message in messages ?? self.messages { estimator.take(message) }
            return estimator
        }

        /// At the end, when no message is missing.
        func now(_ tag: Tag = shelf) -> PlaceNow {
            var estimator = estimator()
            _ = estimator.finish()
            return estimator.now(tag, estimator.absent)
        }
    }

    static func place(_ x: Double, _ y: Double) -> RoomPlace {
        RoomPlace(PlanPoint(x, y), z: 1)
    }

    @Test("a beacon has an area around its place, its zone, and the nearest gateway")
    func known() throws {
        var shop = Shop()
        shop.pass(30, [Self.shelf: Self.place(2, 2)])
        let now = shop.now()
        let area = try #require(now.area)
        #expect(now.state == .known)
        #expect(area.centre.distance(to: PlanPoint(2, 2)) < area.radius)
        #expect(now.zone == "west")
        #expect(now.nearest?.gateway == "g0")
        #expect(now.gateways.map(\.name).first == "g0")
        #expect(now.gateways.allSatisfy { $0.distance.map { $0.low < $0.high } ?? false })
        #expect(now.absent.isEmpty)
    }

    @Test("one gateway gives a distance with an interval, and no place")
    func oneGateway() throws {
        var shop = Shop()
        shop.pass(30, [Self.shelf: Self.place(2, 2)], from: [0])
        let now = shop.now()
        #expect(now.state == .distance)
        #expect(now.area == nil)
        #expect(now.zone == nil && now.zones.isEmpty && now.nearest == nil)
        let distance = try #require(now.gateways.first?.distance)
        #expect(distance.high - distance.low > 2)
    }

    @Test("silence ends the place after 30 s; with a deaf gateway it is unknown, with the reason")
    func silence() {
        var shop = Shop()
        shop.pass(30, [Self.shelf: Self.place(2, 2)])
        shop.pass(20, [:])
        #expect(shop.now().state == .known)
        shop.pass(30, [:])
        #expect(shop.now().state == .silent)
        shop.pass(30, [:], deaf: [1])
        let now = shop.now()
        #expect(now.state == .unknown)
        #expect(now.absent.map(\.gateway) == ["g1"])
        #expect(now.absent.map(\.cause) == [.deaf])
        #expect(now.gateways.map(\.name) == ["g1"])
        #expect(now.gateways.first?.distance == nil)
    }

    @Test("what a deaf gateway heard before is not shown as its distance")
    func deafOfMany() {
        var shop = Shop()
        shop.pass(30, [Self.shelf: Self.place(2, 2)])
        shop.pass(11, [Self.shelf: Self.place(2, 2)], deaf: [0])
        let now = shop.now()
        #expect(now.state == .known)
        #expect(now.gateways.last?.name == "g0")
        #expect(now.gateways.last?.distance == nil)
    }

    @Test("the same windows in any order and number give the same places, live and afterwards")
    func determinism() {
        var shop = Shop(seed: 7)
        shop.pass(40, [Self.shelf: Self.place(2, 2), Self.thing: Self.place(9, 6)])
        shop.pass(20, [Self.thing: Self.place(3, 6)], deaf: [2], claimed: -70)
        let expected = [Self.shelf, Self.thing].map { shop.now($0) }
        var generator = SplitMix64(seed: 3)
        let shuffled = (shop.messages + shop.messages).shuffled(using: &generator)
        for messages in [shuffled, shop.messages.reversed()] {
            var estimator = shop.estimator(messages)
            _ = estimator.finish()
            let places = [Self.shelf, Self.thing].map { estimator.now($0, estimator.absent) }
            #expect(places == expected)
        }
        // Live, second by second; one gateway is 3 s late, so that the present is folded again and again.
        var live = RangingEstimator(shop.room.plan)
        for second in 0..<shop.second + 10 {
            for message in shop.messages {
                let delay = message.gateway == "g3" ? 3 : 0
                if message.window.number == UInt64(max(0, second - delay)), second >= delay {
                    live.take(message)
                }
            }
            _ = live.advance(through: Self.start.advanced(by: min(second, shop.second - 1) + 3))
        }
        for tag in [Self.shelf, Self.thing] {
            let (now, other) = (live.now(tag, live.absent), shop.now(tag))
            #expect(now == other)
        }
    }

    @Test("a beacon has the power that it claims now, not the first one")
    func claims() throws {
        var shop = Shop()
        shop.pass(60, [Self.shelf: Self.place(2, 2)], from: [0])
        let before = try #require(shop.now().gateways.first?.distance)
        shop.pass(60, [Self.shelf: Self.place(2, 2)], from: [0], claimed: -75)
        let after = try #require(shop.now().gateways.first?.distance)
        #expect(after.median < before.median - 1)
    }

    @Test("levels of several devices, and those of a clone, are no place")
    func clone() {
        var shop = Shop()
        shop.pass(30, [Self.shelf: Self.place(2, 2)], senders: 2)
        #expect(shop.now().area == nil)
        shop.pass(30, [Self.shelf: Self.place(2, 2)])
        var estimator = shop.estimator()
        estimator.clones = [Self.shelf]
        _ = estimator.finish()
        let now = estimator.now(Self.shelf, [])
        #expect(now.state == .clone)
        #expect(now.area == nil && now.zone == nil && now.nearest == nil && now.gateways.isEmpty)
        #expect(estimator.zones([]).allSatisfy { $0.byKind[.fixed] == nil })
    }

    @Test("the place of a beacon that stays changes rarely, and that of one that is moved at once")
    func calm() throws {
        var shop = Shop(seed: 5)
        shop.pass(600, [Self.shelf: Self.place(3, 5)], noise: 3)
        var estimator = RangingEstimator(shop.room.plan)
        var stated: [PlaceEstimate.Area] = []
        for message in shop.messages {
            estimator.take(message)
            guard message.gateway == "g3" else { continue }
            let second = Self.start.advanced(by: Int(message.window.number))
            _ = estimator.advance(through: second.advanced(by: 3))
            let now = estimator.now(Self.shelf, [])
            if let area = now.area, area != stated.last { stated.append(area) }
        }
        #expect(stated.count <= 6)
        shop.pass(20, [Self.shelf: Self.place(10, 2)], noise: 3)
        #expect(shop.now().zone == "east")
    }

    @Test(
        "a second has a bounded number of estimates: the oldest turn comes first, and the rest is counted"
    )
    func bounded() {
        var shop = Shop()
        let tags = (0..<300).map { Tag(rawValue: 20 + $0 * 10) }
        shop.pass(22, Dictionary(uniqueKeysWithValues: tags.map { ($0, Self.place(2, 2)) }))
        var estimator = shop.estimator()
        _ = estimator.finish()
        #expect(tags.allSatisfy { estimator.now($0, []).state == .known })
        #expect(estimator.delayedLooks >= 300)
    }

    @Test("a live estimate has 2,000 cells at most")
    func cells() {
        let corners = [(0, 0), (80, 0), (80, 50), (0, 50)].map { PlanPoint($0, $1) }
        let plan = FloorPlan(floor: PlanPolygon(corners), gateways: [], zones: [])
        #expect(RangingEstimator(plan).context.model.grid.count <= 2000)
    }

    @Test("the document is that of the example")
    func document() throws {
        var shop = Shop()
        shop.pass(30, [Self.shelf: Self.place(2, 2)])
        shop.pass(11, [Self.shelf: Self.place(2, 2)], deaf: [2])
        let result = PlaceResult(
            site: "store-042", beacon: "e2c56db5-dffb-48d2-b060-d0f5a71096e0/42/7",
            name: "shelf-17", carrier: "fixed", shop.now(), rev: 1_795_860_960)
        #expect(try Checkout.isResult("place.known", result.json.text))
        var estimator = shop.estimator()
        _ = estimator.finish()
        let zone = try #require(estimator.zones(estimator.absent).first)
        #expect(
            try Checkout.isResult(
                "zone.degraded",
                ZoneResult(site: "store-042", zone, rev: 1_795_860_960, isDurable: true).json.text))
    }
}

extension RangingEstimator {
    fileprivate mutating func take(_ message: RangingEstimatorTests.Message) {
        let heard = message.window.readings.map {
            (
                $0.tag,
                RangingSubject(
                    $0.tag.rawValue > 9 ? .visitor : .fixed, isMoving: $0.tag.rawValue == 4,
                    claimed: message.claimed)
            )
        }
        _ = take(
            message.window, from: message.gateway,
            heard: Dictionary(heard, uniquingKeysWith: { one, _ in one }))
    }
}
