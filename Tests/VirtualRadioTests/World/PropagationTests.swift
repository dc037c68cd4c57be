import Beacons
import Primitives
import Testing

@testable import VirtualRadio

/// Statistics of many links, against the deviations that the scenario asks for.
@Suite struct PropagationTests {
    private let random = SeededRandom(seed: 3)

    private func propagation(_ set: (inout Scenario.Radio) -> Void) -> Propagation {
        var radio = Scenario.Radio()
        set(&radio)
        return Propagation(random, radio)
    }

    /// The level of a packet of a link, in dB above −60 dBm.
    private func level(
        _ propagation: Propagation, link: UInt64, time: Instant, metres: Double = 0
    ) -> Double {
        let rssi = propagation.rssi(
            mean: -60, link: link &* 0x9e37_79b9, time: time, metres: metres, packet: 0)
        return Double(rssi?.dBm ?? -127) + 60
    }

    private func moments(_ values: [Double]) -> (mean: Double, deviation: Double) {
        let mean = values.reduce(0, +) / Double(values.count)
        let square = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
        return (mean, square.squareRoot())
    }

    private func correlation(_ pairs: [(Double, Double)]) -> Double {
        let (first, other) = (moments(pairs.map(\.0)), moments(pairs.map(\.1)))
        let product = pairs.reduce(0) { $0 + ($1.0 - first.mean) * ($1.1 - other.mean) }
        return product / Double(pairs.count) / first.deviation / other.deviation
    }

    @Test(
        "each part has its standard deviation over many links, and no mean",
        arguments: ["shadowing", "multipath", "side", "body"])
    func deviations(part: String) {
        let propagation = propagation { radio in
            switch part {
            case "shadowing": (radio.shadowing.db, radio.shadowing.metres) = (6, 1.2)
            case "multipath": radio.multipathDb = 6
            case "side": radio.sideDb = 6
            default: radio.bodyDb = 6
            }
        }
        let values = (0..<20_000).map {
            level(
                propagation, link: UInt64($0), time: .seconds(Int64($0 % 997)),
                metres: Double($0 % 13))
        }
        let (mean, deviation) = moments(values)
        // 4 standard errors of 6 dB / √20000 are 0.17 dB. Rounding adds 1/12 dB² of variance. Somebody who stays for
        // longer than a cycle is cut off, so bodies are in the way for a little less than 4 s of 16 s.
        let bias = part == "body" ? 0.3 : 0
        #expect(abs(mean) < 0.17 + bias, "\(mean)")
        #expect(abs(deviation - 6) < 0.15 + bias, "\(deviation)")
    }

    @Test("reflections are frozen for a person who stands, and new after 12 cm")
    func multipath() {
        let propagation = propagation { $0.multipathDb = 6 }
        let pairs = { (seconds: Int64, metres: Double) in
            (0..<4000).map { link in
                (
                    level(propagation, link: UInt64(link), time: .seconds(0), metres: 1),
                    level(
                        propagation, link: UInt64(link), time: .seconds(seconds), metres: 1 + metres
                    )
                )
            }
        }
        #expect(correlation(pairs(20, 0)) > 0.9)
        // Two independent samples of 4000: four standard errors are 0.063.
        #expect(abs(correlation(pairs(1, 0.13))) < 0.065)
    }

    @Test("a shadow lasts for its time, and ends with its way") func shadow() {
        let propagation = propagation { radio in
            (radio.shadowing.db, radio.shadowing.seconds, radio.shadowing.metres) = (6, 20, 1.2)
        }
        let pairs = { (seconds: Int64, metres: Double) in
            (0..<4000).map { link in
                (
                    level(propagation, link: UInt64(link), time: .seconds(0)),
                    level(propagation, link: UInt64(link), time: .seconds(seconds), metres: metres)
                )
            }
        }
        #expect(correlation(pairs(2, 0)) > 0.85)
        #expect(correlation(pairs(0, 0.12)) > 0.85)
        #expect(abs(correlation(pairs(41, 0))) < 0.065)
        #expect(abs(correlation(pairs(0, 2.5))) < 0.065)
    }

    @Test("somebody is in the way for about a quarter of the time, for seconds") func body() {
        let propagation = propagation { $0.bodyDb = 6 }
        // Of a link over an hour, each 100 ms. In the way, the level is lower by 6 dB × 0.75 / √(0.25 × 0.75) = 10.4 dB.
        let blocked = (0..<36_000).map {
            level(propagation, link: 1, time: .microseconds(Int64($0) * 100_000)) < 0
        }
        let share = Double(blocked.count { $0 }) / Double(blocked.count)
        #expect((0.19...0.29).contains(share), "\(share)")
        let changes = zip(blocked, blocked.dropFirst()).count { $0 != $1 }
        // Once in 16 s, there and back.
        #expect((400...450).contains(changes), "\(changes)")
    }

    @Test("gateways and tags have offsets of their own, which stay") func offsets() {
        var radio = Scenario.Radio()
        (radio.gatewayDb, radio.pathLossSpread) = (3, 0.4)
        let receivers = (0..<2000).map {
            Receiver(
                random, radio, Scenario.Gateway(id: "gateway-\($0)", place: Point(x: 0, y: 0)))
        }
        let (mean, deviation) = moments(receivers.map(\.gainDb))
        #expect(abs(mean) < 0.28 && abs(deviation - 3) < 0.2, "\(mean), \(deviation)")
        let exponents = receivers.map(\.exponent)
        #expect(exponents.allSatisfy { (1.6...2.4).contains($0) })
        // A uniform value of this width.
        #expect(abs(moments(exponents).deviation - 0.8 / 12.0.squareRoot()) < 0.015)
    }

    @Test("packets that overlap are lost, unless one is much stronger") func collisions() throws {
        var scenario = Scenario(uuid: organisation)
        scenario.gateways = [.init(id: "here", place: Point(x: 0, y: 0))]
        scenario.advertisingIntervalMs = 20
        // Three tags at 1 m, and one that is 20 dB weaker at 10 m.
        scenario.beacons = [
            .init(major: 1, firstMinor: 1, place: Point(x: 1, y: 0)),
            .init(major: 1, firstMinor: 2, place: Point(x: 0, y: 1)),
            .init(major: 1, firstMinor: 3, place: Point(x: -1, y: 0)),
            .init(major: 1, firstMinor: 4, place: Point(x: 10, y: 0)),
        ]
        var quiet = World(scenario)
        scenario.radio.collisions = true
        var world = World(scenario)
        let end = Instant.seconds(20)
        let all = quiet.advertisements(heardBy: scenario.gateways[0], from: .seconds(0), to: end)
        var heard: [Advertisement] = []
        for start in Instant.steps(from: .seconds(0), to: end, by: .milliseconds(7)) {
            heard += world.advertisements(
                heardBy: scenario.gateways[0], from: start, to: min(end, start + .milliseconds(7)))
        }
        // Counted anew: each packet against each other one.
        let expected = all.filter { packet in
            !all.contains {
                $0 != packet && abs($0.time.microseconds(since: packet.time)) < 376
                    && Int($0.rssi.dBm) > Int(packet.rssi.dBm) - 8
            }
        }
        #expect(all.count - heard.count > 20)
        // A packet just before the end may collide with one just after it.
        let sure = end - .microseconds(376)
        #expect(heard.filter { $0.time < sure } == expected.filter { $0.time < sure })
        let strong = all.count { $0.identity?.minor != 4 } - heard.count { $0.identity?.minor != 4 }
        #expect(strong > 10)
    }
}
