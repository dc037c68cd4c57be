import Beacons

/// A scenario's place, full of advertisers, listened to from its gateways.
///
/// Everything is a function of the scenario and of time: two worlds of one scenario, in two processes that began at
/// different moments, hear the same people. Times are microseconds on the scenario's timeline, whose zero is its epoch.
package struct World: Sendable {
    package let scenario: Scenario
    let random: SeededRandom
    let propagation: Propagation
    private let residents: [Advertiser]
    /// The visitors of the hours that were last asked for.
    private var visitors: [Int64: [Advertiser]] = [:]

    package init(_ scenario: Scenario) {
        self.scenario = scenario
        let random = SeededRandom(seed: scenario.seed)
        self.random = random
        propagation = Propagation(random, scenario.radio)
        residents =
            Self.fixedBeacons(of: scenario, random) + Self.noise(of: scenario, random)
    }

    /// What the gateway hears from `start` until just before `end`, in the order of time.
    package mutating func advertisements(
        heardBy gateway: Scenario.Gateway, from start: Int64, to end: Int64
    ) -> [Advertisement] {
        let station = SeededRandom.number(of: gateway.id)
        let power = Double(scenario.measuredPower) + gateway.gainDb
        let propagation = propagation
        var heard: [Advertisement] = []
        forEachAdvertiser(from: start, to: end) { advertiser in
            let link = advertiser.entity ^ station
            for packet in advertiser.packets(from: start, to: end) {
                let time = advertiser.schedule.time(of: packet)
                let distance = advertiser.place(at: time).distance(to: gateway.place)
                let mean = propagation.mean(power: power, distance: distance)
                guard
                    let rssi = propagation.rssi(
                        mean: mean, link: link, time: time, packet: packet)
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

    /// How many packets each identity sends from `start` until just before `end`, heard or not.
    package mutating func sent(from start: Int64, to end: Int64) -> [BeaconIdentity: Int] {
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
    package mutating func places(at time: Int64) -> [BeaconIdentity: Point] {
        var places: [BeaconIdentity: Point] = [:]
        forEachAdvertiser(from: time, to: time + 1) { advertiser in
            if let identity = advertiser.identity { places[identity] = advertiser.place(at: time) }
        }
        return places
    }

    private mutating func forEachAdvertiser(
        from start: Int64, to end: Int64, _ body: (Advertiser) -> Void
    ) {
        for resident in residents { body(resident) }
        guard let people = scenario.people, start < end else { return }
        // A visit lasts an hour at most: a visitor arrived in this hour or in the one before.
        let first = start.flooredDivision(by: VisitorSchedule.hour) - 1
        let hours = first...(end - 1).flooredDivision(by: VisitorSchedule.hour)
        visitors = visitors.filter { hours.contains($0.key) }
        for hour in hours {
            let present = visitors[hour] ?? makeVisitors(people, inHour: hour)
            visitors[hour] = present
            for visitor in present where visitor.isPresent(from: start, to: end) { body(visitor) }
        }
    }

    private func makeVisitors(_ people: Scenario.People, inHour hour: Int64) -> [Advertiser] {
        VisitorSchedule(random, people).visits(inHour: hour).map { visit in
            let identity = BeaconIdentity(
                uuid: scenario.uuid, major: people.major, minor: visit.minor)
            return Advertiser(
                random,
                beacon: IBeacon(identity: identity, measuredPower: scenario.measuredPower),
                entity: visit.entity, interval: scenario.advertisingIntervalMs * 1000,
                location: .visiting(visit))
        }
    }

    private static func fixedBeacons(of scenario: Scenario, _ random: SeededRandom) -> [Advertiser]
    {
        scenario.beacons.enumerated().flatMap { group, beacons in
            (0..<max(0, beacons.count)).map { index in
                let identity = BeaconIdentity(
                    uuid: scenario.uuid, major: beacons.major,
                    minor: beacons.firstMinor &+ UInt16(truncatingIfNeeded: index))
                return Advertiser(
                    random,
                    beacon: IBeacon(identity: identity, measuredPower: scenario.measuredPower),
                    entity: Entity.beacon(group: group, index: index),
                    interval: scenario.advertisingIntervalMs * 1000,
                    location: .fixed(beacons.place(of: index)))
            }
        }
    }

    private static func noise(of scenario: Scenario, _ random: SeededRandom) -> [Advertiser] {
        guard let noise = scenario.noise else { return [] }
        let (a, b) = noise.corners
        return (0..<max(0, noise.count)).map { index in
            let entity = Entity.noise(index)
            let place = Point(
                x: a.x + (b.x - a.x) * random.unit(.noisePlace, entity, 0),
                y: a.y + (b.y - a.y) * random.unit(.noisePlace, entity, 1))
            // Phones advertise at a few times the beacons' interval, each at its own.
            let slowness = 1 + random.unit(.noisePlace, entity, 2) * 3
            return Advertiser(
                entity: entity,
                schedule: AdvertisingSchedule(
                    random, entity: entity,
                    interval: Int64(Double(scenario.advertisingIntervalMs * 1000) * slowness)),
                location: .fixed(place), content: .noise(NoiseContent(random, entity: entity)))
        }
    }
}
