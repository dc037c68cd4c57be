import Beacons
import Primitives
import Testing

@testable import VirtualRadio

@Suite struct WorldTests {
    /// A quarter past ten on a day in 2026.
    private let morning = Instant.seconds(1_780_000_000)

    @Test("each fixed beacon sends the number of packets of its schedule")
    func fixedBeacons() throws {
        var world = World(try scenario("busy"))
        let gateway = try #require(world.scenario.gateway("entry-1"))
        // 21 s are a hundred pairs of packets of 210 ms; one may fall just outside, and one just inside.
        let heard = world.advertisements(
            heardBy: gateway, from: morning, to: morning + .seconds(21))
        let counts = Dictionary(grouping: heard) { $0.identity }.mapValues(\.count)
        #expect(counts.count == 200)
        #expect(counts.values.allSatisfy { (199...201).contains($0) })
        let sent = world.sent(from: morning, to: morning + .seconds(21))
        #expect(counts == Dictionary(uniqueKeysWithValues: sent.map { ($0, $1) }))
    }

    @Test("the packet count of a schedule equals its packets counted one by one")
    func packetCount() {
        let chance = SeededRandom(seed: 5)
        for entity in UInt64(0)..<50 {
            let beat = AdvertisingSchedule(chance, entity: entity, interval: .milliseconds(100))
            let times = (-100..<400).map { beat.time(of: Int64($0)) }
            #expect(times == times.sorted())
            for start in [
                .seconds(-1), .seconds(0), .microseconds(12_345), times[250],
                times[251] + .microseconds(1),
            ] {
                let end = start + .microseconds(7_654_321)
                let count = times.count { $0 >= start && $0 < end }
                #expect(beat.count(from: start, to: end) == Int64(count))
            }
        }
    }

    @Test("packets are apart by the interval and a delay of at most 10 ms")
    func packetGaps() throws {
        var world = World(try scenario("busy"))
        let gateway = try #require(world.scenario.gateway("entry-1"))
        let heard = world.advertisements(
            heardBy: gateway, from: morning, to: morning + .seconds(60))
        let times = heard.filter { $0.identity?.minor == 7 }.map(\.time)
        let gaps = zip(times.dropFirst(), times).map { $0.microseconds(since: $1) }
        #expect(gaps.allSatisfy { (100_000...110_000).contains($0) })
        #expect(Set(gaps).count > gaps.count / 2, "the delays are not random")
        #expect(heard.map(\.time) == heard.map(\.time).sorted())
    }

    @Test("the received packets do not depend on the steps or the start of listening")
    func anySteps() throws {
        let scenario = try scenario("queue")
        let gateway = try #require(scenario.gateway("till-1"))
        let end = morning + .seconds(20)
        var early = World(scenario)
        var late = World(scenario)
        _ = early.advertisements(heardBy: gateway, from: morning - .seconds(7200), to: morning)
        var inSteps: [Advertisement] = []
        for start in Instant.steps(from: morning, to: end, by: .milliseconds(13)) {
            inSteps += early.advertisements(
                heardBy: gateway, from: start, to: min(end, start + .milliseconds(13)))
        }
        let atOnce = late.advertisements(heardBy: gateway, from: morning, to: end)
        #expect(atOnce.count > 3000)
        #expect(inSteps == atOnce)
    }

    @Test("another seed gives another world") func otherSeed() throws {
        var scenario = try scenario("queue")
        let gateway = try #require(scenario.gateway("till-1"))
        var first = World(scenario)
        scenario.seed += 1
        var second = World(scenario)
        let end = morning + .seconds(1)
        #expect(
            first.advertisements(heardBy: gateway, from: morning, to: end)
                != second.advertisements(heardBy: gateway, from: morning, to: end))
    }

    @Test("two gateways receive the same visitors, the nearer one stronger on average")
    func sameVisitors() throws {
        let scenario = try scenario("queue")
        var (near, far) = (World(scenario), World(scenario))
        let entry = try #require(scenario.gateway("entry-1"))
        let till = try #require(scenario.gateway("till-1"))
        var right = 0
        var wrong = 0
        var present: [Int] = []
        for minute in 0..<60 {
            let start = morning + .seconds(minute * 60)
            let places = near.places(at: start)
            present.append(places.count)
            let atEntry = means(
                near.advertisements(heardBy: entry, from: start, to: start + .seconds(1)))
            let atTill = means(
                far.advertisements(heardBy: till, from: start, to: start + .seconds(1)))
            for (identity, place) in places {
                guard let first = atEntry[identity], let second = atTill[identity] else { continue }
                let ratio = place.distance(to: entry.place) / place.distance(to: till.place)
                // The distances differ by a factor of three at least.
                guard ratio > 3 || ratio < 1 / 3.0 else { continue }
                // The till's receiver measures 2 dB less.
                if (first > second + 2) == (ratio < 1) { right += 1 } else { wrong += 1 }
            }
            let known = Set(places.keys).union(near.places(at: start + .seconds(1)).keys)
            #expect(known.isSuperset(of: atEntry.keys))
        }
        #expect(right > 100)
        #expect(wrong * 10 < right, "\(right) right, \(wrong) wrong")
        let mean = Double(present.reduce(0, +)) / Double(present.count)
        #expect((20...45).contains(mean), "\(mean) present")
    }

    @Test("the RSSI varies around the path loss by the scenario's fading")
    func rssiDistribution() throws {
        var scenario = Scenario(uuid: organisation)
        scenario.radio.pathLossExponent = 2
        scenario.radio.shadowing.db = 3
        scenario.radio.shadowing.seconds = 1
        scenario.radio.fadingDb = 4
        let gateway = Scenario.Gateway(id: "here", place: Point(x: 0, y: 0))
        scenario.gateways = [gateway]
        scenario.beacons = [.init(major: 1, firstMinor: 1, place: Point(x: 10, y: 0))]
        var world = World(scenario)
        let heard = world.advertisements(
            heardBy: gateway, from: morning, to: morning + .seconds(3600))
        let values = heard.map { Double($0.rssi.dBm) }
        let mean = values.reduce(0, +) / Double(values.count)
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
        // -59 dBm at one metre and 20 dB less at ten; the deviations add up by their squares, to 5
        // dB.
        #expect(abs(mean - -79) < 0.3, "\(mean)")
        #expect(abs(variance.squareRoot() - 5) < 0.3, "\(variance.squareRoot())")
    }

    @Test("a fixed beacon stops at its end, and its copy does not")
    func end() {
        var scenario = Scenario(uuid: organisation)
        let gateway = Scenario.Gateway(id: "here", place: Point(x: 0, y: 0))
        let beacon = Scenario.FixedBeacons(major: 1, firstMinor: 1, place: Point(x: 10, y: 0))
        scenario.beacons = [beacon, beacon]
        scenario.beacons[0].end = morning + .seconds(60)
        var world = World(scenario)
        let (first, second) = (
            world.advertisements(heardBy: gateway, from: morning, to: morning + .seconds(60)).count,
            world.advertisements(
                heardBy: gateway, from: morning + .seconds(60), to: morning + .seconds(120)
            ).count
        )
        // The interval is 100 to 110 ms.
        #expect((1080...1210).contains(first) && (540...605).contains(second))
    }

    @Test("the loss rate holds, and at the sensitivity half of the packets are lost")
    func loss() throws {
        var scenario = Scenario(uuid: organisation)
        let gateway = Scenario.Gateway(id: "here", place: Point(x: 0, y: 0))
        scenario.beacons = [.init(major: 1, firstMinor: 1, place: Point(x: 10, y: 0))]
        let hour = Duration.seconds(3600)
        let all = 2.0 * 3600 / 0.210
        scenario.radio.lossPercent = 20
        var lossy = World(scenario)
        let left = lossy.advertisements(heardBy: gateway, from: morning, to: morning + hour).count
        #expect(abs(Double(left) / all - 0.8) < 0.01)
        scenario.radio.lossPercent = 0
        scenario.radio.sensitivityDbm = -79
        var weak = World(scenario)
        let half = weak.advertisements(heardBy: gateway, from: morning, to: morning + hour).count
        #expect(abs(Double(half) / all - 0.5) < 0.01)
    }

    @Test("noise is no iBeacon, and changes its address every 15 minutes")
    func noise() throws {
        var scenario = try scenario("queue")
        scenario.people = nil
        scenario.beacons = []
        let gateway = try #require(scenario.gateway("entry-1"))
        var world = World(scenario)
        let hour = world.advertisements(
            heardBy: gateway, from: morning, to: morning + .seconds(3600))
        for advertisement in hour {
            #expect(advertisement.identity == nil)
            let beacon = try advertisement.data.withBytes { try IBeacon(advertisingData: $0) }
            #expect(beacon == nil)
            // A private address: 01 in the two upper bits.
            #expect(advertisement.sender.rawValue >> 46 & 3 == 1)
        }
        let senders = Set(hour.map(\.sender)).count
        #expect((15 * 4...15 * 5).contains(senders), "\(senders)")
    }

    private func means(_ heard: [Advertisement]) -> [BeaconIdentity: Double] {
        var values: [BeaconIdentity: [Double]] = [:]
        for advertisement in heard {
            guard let identity = advertisement.identity else { continue }
            values[identity, default: []].append(Double(advertisement.rssi.dBm))
        }
        return values.mapValues { $0.reduce(0, +) / Double($0.count) }
    }
}
