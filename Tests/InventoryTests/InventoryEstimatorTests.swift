import Beacons
import Facts
import Foundation
import JSON
import Primitives
import TestSupport
import Testing

@testable import Inventory

@Suite("states of registered beacons")
struct InventoryEstimatorTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    /// A whole hour.
    private static let start: Int64 = 1_795_860_000

    /// Some beacons and gateways, second by second.
    private struct Shop {
        var estimator: InventoryEstimator
        var events: [InventoryEvent] = []
        var hours: [InventoryHour] = []
        /// The seconds by which the clocks of gateways are ahead.
        var ahead: [String: Int64] = [:]
        private var numbers: [String: UInt64] = [:]
        private(set) var second = InventoryEstimatorTests.start

        init(_ rows: String) {
            let text =
                "uuid,major,minor,kind,name,intervalMs,since,until\n"
                + rows.split(separator: "\n").map { "\(InventoryEstimatorTests.uuid),\($0)\n" }
                .joined()
            let registry = Registry(parsing: Array(text.utf8))
            #expect(registry.faults.isEmpty)
            estimator = InventoryEstimator(InventoryTable(registry, on: "2026-11-28"))
        }

        static func identity(_ minor: UInt16) -> BeaconIdentity {
            BeaconIdentity(
                uuid: ProximityUUID(InventoryEstimatorTests.uuid)
                    ?? ProximityUUID(high: 0, low: 0), major: 1, minor: minor)
        }

        /// Seconds in which each gateway has some reports of some beacons; `nil` for a deaf gateway.
        mutating func pass(
            _ seconds: Int, senders: Int = 1, millivolts: Int? = nil,
            _ heard: [String: [UInt16: Int]?]
        ) {
            for _ in 0..<seconds {
                for (gateway, beacons) in heard.sorted(by: { $0.key < $1.key }) {
                    let begin = UnixTime(
                        milliseconds: (second + ahead[gateway, default: 0]) * 1000)
                    let span = begin..<begin + .seconds(1)
                    let readings = (beacons ?? [:]).map { minor, count in
                        Reading(
                            tag: Tag(Self.identity(minor)), power: -60, count: count,
                            seen: span.lowerBound...span.lowerBound + .milliseconds(900),
                            senders: senders)
                    }
                    let number = numbers[gateway, default: 0]
                    numbers[gateway] = number + 1
                    var extra = InventoryEstimator.Extra()
                    if let millivolts {
                        for minor in (beacons ?? [:]).keys {
                            extra.millivolts[Tag(Self.identity(minor))] = millivolts
                        }
                    }
                    _ = estimator.take(
                        WindowFact(
                            session: "a", numbers: number...number, span: span,
                            state: beacons == nil ? .deaf : .hearing,
                            readings: readings.sorted { $0.tag < $1.tag }),
                        extra, from: gateway)
                }
                second += 1
                if second % 10 == 0 { fold() }
            }
            fold()
        }

        mutating func fold() {
            let news = estimator.advance(wall: UnixTime(milliseconds: second * 1000))
            events += news.events
            hours += news.hours
        }

        func state(_ index: Int = 0) -> BeaconState {
            estimator.now(index, wall: UnixTime(milliseconds: second * 1000)).state
        }

        var kinds: [InventoryEvent.Kind] { events.map(\.kind) }
    }

    @Test("a silent beacon is missing after 900 s, and found again with its next report")
    func missing() {
        var shop = Shop("1,1,fixed,shelf,,,\n1,2,fixed,,,,\n1,3,fixed,,,,")
        shop.pass(60, ["a": [1: 1, 2: 1], "b": [1: 1]])
        #expect(shop.state() == .learning)
        #expect(shop.state(2) == .unseen)
        shop.pass(890, ["a": [2: 1], "b": [:]])
        #expect(shop.kinds == [])
        shop.pass(80, ["a": [2: 1], "b": [:]])
        #expect(shop.kinds == [.missing])
        #expect(shop.state() == .missing)
        #expect(shop.state(1) == .learning)
        #expect(shop.events.first?.evidence.silence == .seconds(900))
        #expect(shop.events.first?.evidence.gateways == ["a", "b"])
        #expect(
            shop.events.first?.at == UnixTime(milliseconds: (Self.start + 59) * 1000))
        shop.pass(70, ["a": [1: 1, 2: 1], "b": [:]])
        #expect(shop.kinds == [.missing, .found])
        #expect(shop.state() == .learning)
    }

    @Test("after a restart, a beacon that was heard before is unknown until the first window")
    func restored() {
        var shop = Shop("1,1,fixed,shelf,,,\n1,2,fixed,,,,")
        shop.pass(7300, ["a": [1: 1]])
        var again = InventoryEstimator(shop.estimator.table)
        again.restore(shop.hours, missing: [])
        let wall = UnixTime(milliseconds: shop.second * 1000)
        #expect(again.now(0, wall: wall).state == .unknown)
        #expect(again.now(0, wall: wall).lastHeard != nil)
        #expect(again.now(1, wall: wall).state == .unseen)
    }

    @Test("the documents are those of the examples")
    func documents() throws {
        var shop = Shop("1,1,fixed,shelf-17,1000,,")
        shop.pass(60, ["entry-1": [1: 1]])
        shop.pass(1000, ["entry-1": [:]])
        let now = shop.estimator.now(0, wall: UnixTime(milliseconds: shop.second * 1000))
        #expect(
            try Checkout.isResult(
                "beacon.missing", BeaconResult(site: "store-042", now, rev: 1_795_860_960).json.text
            ))
        let event = try #require(shop.events.first)
        let result = BeaconEventResult(site: "store-042", event, name: "shelf-17")
        #expect(try Checkout.isResult("beacon-event.missing", result.json.text))
    }

    @Test("a deaf gateway makes the beacons unknown that it hears, and none missing")
    func deaf() {
        var shop = Shop("1,1,fixed,,,,\n1,2,fixed,,,,")
        shop.pass(60, ["a": [1: 1], "b": [2: 1]])
        shop.pass(1200, ["a": nil, "b": [2: 1]])
        #expect(shop.kinds == [])
        #expect(shop.state() == .unknown)
        #expect(shop.state(1) == .learning)
        // The silence goes on after the deaf time.
        shop.pass(1000, ["a": [:], "b": [2: 1]])
        #expect(shop.kinds == [.missing])
    }

    @Test("more reports than one device can send are a clone")
    func clonedByCount() {
        var shop = Shop("1,1,fixed,,1000,,")
        shop.pass(120, ["a": [1: 1]])
        #expect(shop.kinds == [])
        shop.pass(120, ["a": [1: 2]])
        #expect(shop.kinds == [.clone])
        #expect(shop.state() == .clone)
        #expect(shop.events.first?.evidence.limit == 67)
        #expect(shop.events.first?.evidence.rule == .count)
    }

    @Test("several senders in windows that are far apart are a clone; a new address is not")
    func clonedBySenders() {
        var shop = Shop("1,1,fixed,,,,")
        shop.pass(60, ["a": [1: 1]])
        shop.pass(2, senders: 2, ["a": [1: 1]])
        shop.pass(120, ["a": [1: 1]])
        #expect(shop.kinds == [])
        shop.pass(60, senders: 2, ["a": [1: 1]])
        shop.pass(60, ["a": [1: 1]])
        #expect(shop.kinds == [.clone])
        #expect(shop.events.first?.evidence.senders == 2)
        #expect(shop.events.first?.evidence.rule == .senders)
    }

    @Test("a beacon of the staff has no state, no event and no row")
    func staff() throws {
        var shop = Shop("1,1,staff,,,,\n1,2,asset,,,,")
        shop.pass(3700, senders: 2, millivolts: 2550, ["a": [1: 1]])
        #expect(shop.estimator.count == 1)
        #expect(shop.kinds == [])
        #expect(try #require(shop.hours.first).beacons.isEmpty)
    }

    @Test("a gateway whose clock is ahead makes the others no later")
    func gatewayAhead() {
        var shop = Shop("1,1,fixed,shelf,,,")
        shop.ahead["b"] = 75
        shop.pass(200, ["a": [1: 1], "b": [:]])
        #expect(shop.state() == .learning)
    }

    @Test("a low battery is an event, once")
    func battery() {
        var shop = Shop("1,1,fixed,shelf,,,")
        shop.pass(3600, millivolts: 2550, ["a": [1: 1]])
        shop.pass(100, ["a": [1: 1]])
        #expect(shop.kinds == [.battery])
        #expect(shop.state() == .battery)
        #expect(shop.events.first?.evidence.millivolts == 2550)
    }

    @Test("an hour is the same after the store, and a restart goes on with it")
    func restart() throws {
        var shop = Shop("1,1,fixed,,,,\n1,2,fixed,,,,")
        shop.pass(3700, ["a": [1: 1, 2: 1], "b": [1: 1]])
        let hour = try #require(shop.hours.first)
        let stored = try InventoryHour(stored: hour.stored, start: hour.start)
        #expect(stored == hour)
        #expect(hour.beacons.first?.samples.count == 2)
        var other = Shop("1,1,fixed,,,,\n1,2,fixed,,,,")
        let item = "\(Self.uuid)/1/2"
        other.estimator.restore([stored], missing: [(item, hour.start)])
        #expect(other.state(1) == .missing)
        other.pass(70, ["a": [1: 1]])
        #expect(other.state(0) == .learning)
        #expect(other.state(1) == .missing)
        #expect(other.kinds == [])
    }

    @Test("damaged bytes of an hour throw, and never trap", arguments: 0..<30)
    func damaged(seed: UInt64) throws {
        var shop = Shop("1,1,fixed,,,,")
        var bytes = InventoryHour(
            start: 0, gateways: ["a", "b"], known: [3600, 1800], exposure: 3600, silences: [9, 4],
            beacons: [
                .init(
                    tag: Tag(Shop.identity(1)), last: 3599,
                    samples: [.init(gateway: 1, level: -70, reports: 300)], millivolts: 2900)
            ]
        ).stored
        var random = SplitMix64(seed: seed)
        for _ in 0..<3 {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() & 255)
        }
        bytes.removeLast(Int(random.next() % 4))
        if let hour = try? InventoryHour(stored: bytes, start: 0) {
            shop.estimator.restore([hour], missing: [])
        }
    }

    @Test("a beacon without a row is an event once a day, after three reports in two windows")
    func unregistered() {
        var shop = Shop("1,1,fixed,,,,")
        let other = Shop.identity(9)
        for second in 0..<4 {
            shop.estimator.take(
                unregistered: other, reports: 2, level: -70, at: "a",
                UnixTime(milliseconds: (Self.start + Int64(second)) * 1000))
        }
        shop.fold()
        #expect(shop.kinds == [.unregistered])
        shop.estimator.take(
            unregistered: other, reports: 9, level: -70, at: "a",
            UnixTime(milliseconds: (Self.start + 90_000) * 1000))
        shop.estimator.take(
            unregistered: other, reports: 9, level: -70, at: "a",
            UnixTime(milliseconds: (Self.start + 90_001) * 1000))
        shop.fold()
        #expect(shop.kinds == [.unregistered, .unregistered])
    }

    @Test("the registry retires a beacon, and a new row goes on with what is known")
    func registry() {
        var shop = Shop("1,1,fixed,,,,")
        shop.pass(100, ["a": [1: 1]])
        let header = "uuid,major,minor,kind,until\n"
        let retired = Registry(
            parsing: Array("\(header)\(Self.uuid),1,1,fixed,2026-11-27\n".utf8))
        shop.estimator.use(InventoryTable(retired, on: "2026-11-28"))
        #expect(shop.state() == .retired)
        let again = Registry(parsing: Array("\(header)\(Self.uuid),1,1,fixed,\n".utf8))
        shop.estimator.use(InventoryTable(again, on: "2026-11-28"))
        #expect(shop.state() == .learning)
    }
}
