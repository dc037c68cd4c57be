import Beacons
import Primitives

/// A scenario's place, full of advertisers, listened to from its gateways.
///
/// Everything is a function of the scenario and of time: two worlds of one scenario, in two processes that began at
/// different moments, hear the same people. Times are on the scenario's timeline, whose zero is its epoch.
package struct World: Sendable {
    package let scenario: Scenario
    let random: SeededRandom
    let propagation: Propagation
    private let residents: [SimulatedBeacon]
    private var population: Population

    /// How long a packet is on the air: 47 bytes with 1 Mbit/s (Core 5.4 Vol 6 Part B 2.1).
    private static let packetTime: Duration = .microseconds(376)
    /// A packet that is so much stronger than all others is received nevertheless, in dB.
    private static let captureDb = 8

    package init(_ scenario: Scenario) {
        self.scenario = scenario
        let random = SeededRandom(seed: scenario.seed)
        self.random = random
        propagation = Propagation(random, scenario.radio)
        residents =
            Self.fixedBeacons(of: scenario, random) + Self.noise(of: scenario, random)
        population = Population(scenario, random)
    }

    /// What the gateway hears from `start` until just before `end`, in the order of time.
    package mutating func advertisements(
        heardBy gateway: Scenario.Gateway, from start: Instant, to end: Instant
    ) -> [Advertisement] {
        guard scenario.radio.collisions else { return arriving(at: gateway, from: start, to: end) }
        // Packets before and after also collide with those within.
        let all = arriving(
            at: gateway, from: start - Self.packetTime, to: end + Self.packetTime)
        return Self.received(of: all).filter { start <= $0.time && $0.time < end }
    }

    /// What arrives at the gateway's antenna.
    private mutating func arriving(
        at gateway: Scenario.Gateway, from start: Instant, to end: Instant
    ) -> [Advertisement] {
        let receiver = Receiver(random, scenario.radio, gateway)
        let power = Double(scenario.measuredPower)
        let propagation = propagation
        var heard: [Advertisement] = []
        forEachAdvertiser(from: start, to: end) { advertiser in
            let link = advertiser.entity ^ receiver.station
            for packet in advertiser.packets(from: start, to: end) {
                let time = advertiser.schedule.time(of: packet)
                let position = advertiser.position(at: time)
                let mean = propagation.mean(
                    power: power + advertiser.powerDb,
                    distance: position.place.distance(to: receiver.place), at: receiver)
                guard
                    let rssi = propagation.rssi(
                        mean: mean, link: link, time: time, metres: position.metres, packet: packet)
                else { continue }
                switch advertiser.content {
                case .beacon(let identity, let sender, let kind, let data):
                    heard.append(
                        Advertisement(
                            time: time, sender: sender, kind: kind, data: data, rssi: rssi,
                            identity: identity))
                case .noise(let disguises):
                    heard.append(disguises.advertisement(at: time, rssi: rssi))
                }
            }
        }
        heard.sort { ($0.time, $0.sender.rawValue) < ($1.time, $1.sender.rawValue) }
        return heard
    }

    /// Those of `all`, which are in the order of time, that no other packet overlaps, or only weak ones.
    private static func received(of all: [Advertisement]) -> [Advertisement] {
        all.indices.filter { index in
            let packet = all[index]
            let isOverlapped = { (other: Advertisement) in
                Int(other.rssi.dBm) > Int(packet.rssi.dBm) - captureDb
            }
            var other = index - 1
            while other >= 0, packet.time - all[other].time < packetTime {
                if isOverlapped(all[other]) { return false }
                other -= 1
            }
            other = index + 1
            while other < all.count, all[other].time - packet.time < packetTime {
                if isOverlapped(all[other]) { return false }
                other += 1
            }
            return true
        }.map { all[$0] }
    }

    /// How many packets each identity sends from `start` until just before `end`, heard or not.
    package mutating func sent(from start: Instant, to end: Instant) -> [BeaconIdentity: Int] {
        var counts: [BeaconIdentity: Int] = [:]
        forEachAdvertiser(from: start, to: end) { advertiser in
            let count = advertiser.packets(from: start, to: end).count
            if let identity = advertiser.identity, count > 0 {
                counts[identity, default: 0] += count
            }
        }
        return counts
    }

    /// Where each identity is at `time`.
    package mutating func places(at time: Instant) -> [BeaconIdentity: Point] {
        var places: [BeaconIdentity: Point] = [:]
        forEachAdvertiser(from: time, to: time + .microseconds(1)) { advertiser in
            if let identity = advertiser.identity {
                places[identity] = advertiser.position(at: time).place
            }
        }
        return places
    }

    private mutating func forEachAdvertiser(
        from start: Instant, to end: Instant, _ body: (SimulatedBeacon) -> Void
    ) {
        for resident in residents { body(resident) }
        population.forEach(from: start, to: end) { person in
            for tag in person.tags where tag.span.overlaps(start..<end) { body(tag) }
        }
    }

    private static func fixedBeacons(of scenario: Scenario, _ random: SeededRandom)
        -> [SimulatedBeacon]
    {
        scenario.beacons.enumerated().flatMap { group, beacons in
            (0..<max(0, beacons.count)).map { index in
                let identity = BeaconIdentity(
                    uuid: scenario.uuid, major: beacons.major,
                    minor: beacons.firstMinor &+ UInt16(truncatingIfNeeded: index))
                let always = SimulatedBeacon.always
                return SimulatedBeacon(
                    random, scenario, beacon: identity,
                    entity: Entity.beacon(group: group, index: index),
                    location: .fixed(beacons.place(of: index)),
                    span: always.lowerBound..<(beacons.end ?? always.upperBound))
            }
        }
    }

    private static func noise(of scenario: Scenario, _ random: SeededRandom) -> [SimulatedBeacon] {
        guard let noise = scenario.noise else { return [] }
        let (a, b) = noise.corners
        return (0..<max(0, noise.count)).map { index in
            let entity = Entity.noise(index)
            let place = Point(
                x: a.x + (b.x - a.x) * random.unit(.noisePlace, entity, 0),
                y: a.y + (b.y - a.y) * random.unit(.noisePlace, entity, 1))
            // Phones advertise at a few times the beacons' interval, each at its own.
            let slowness = 1 + random.unit(.noisePlace, entity, 2) * 3
            return SimulatedBeacon(
                entity: entity,
                schedule: AdvertisingSchedule(
                    random, entity: entity,
                    interval: scenario.advertisingInterval(times: slowness)),
                location: .fixed(place), content: .noise(NoiseContent(random, entity: entity)))
        }
    }
}
