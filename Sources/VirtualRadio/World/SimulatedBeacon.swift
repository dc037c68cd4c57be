import Beacons
import Primitives

/// An advertiser: its content, schedule and position.
struct SimulatedBeacon: Sendable {
    /// Where it is.
    enum Location: Sendable {
        case fixed(Point)
        case visiting(ShopVisit)
    }

    /// What it sends.
    enum Content: Sendable {
        case beacon(BeaconIdentity, sender: DeviceAddress, kind: Advertisement.Kind, data: [UInt8])
        /// Something else each quarter of an hour, as phones do.
        case noise(NoiseContent)
    }

    let entity: UInt64
    let schedule: AdvertisingSchedule
    let location: Location
    let content: Content
    /// When it sends.
    var span = Self.always
    /// What this tag sends louder than others.
    var powerDb = 0.0

    /// The span of an advertiser that never stops.
    static let always = Instant(microseconds: .min)..<Instant(microseconds: .max)

    /// The numbers of the packets that it sends from `start` until just before `end`.
    func packets(from start: Instant, to end: Instant) -> Range<Int64> {
        let start = max(start, span.lowerBound)
        let end = min(end, span.upperBound)
        guard start < end else { return 0..<0 }
        let first = schedule.first(notBefore: start)
        // Within a batch's few milliseconds there is hardly ever a second one.
        if schedule.time(of: first) >= end { return first..<first }
        return first..<max(first, schedule.first(notBefore: end))
    }

    /// Where it is; after the end of a visit, where the person left it.
    func position(at time: Instant) -> ShopVisit.Position {
        switch location {
        case .fixed(let point): ShopVisit.Position(place: point, metres: 0)
        case .visiting(let visit): visit.position(at: time)
        }
    }

    /// The identity that it advertises; `nil` for noise.
    var identity: BeaconIdentity? {
        if case .beacon(let identity, _, _, _) = content { identity } else { nil }
    }
}

extension SimulatedBeacon {
    /// A beacon, in one of the shapes that are seen in the field: with and without flags, some of them connectable.
    ///
    /// Its address, shape, power and interval are the tag's: the same for all who carry it in turn.
    init(
        _ random: SeededRandom, _ scenario: Scenario, beacon identity: BeaconIdentity,
        entity: UInt64, location: Location, span: Range<Instant> = SimulatedBeacon.always
    ) {
        let tag = Entity.tag(major: identity.major, minor: identity.minor)
        let beacon = IBeacon(identity: identity, measuredPower: scenario.measuredPower)
        let full = beacon.advertisingData
        let address = random.word(.address, tag) | 0xc000_0000_0000
        let radio = scenario.radio
        let slowness =
            1 + radio.tagIntervalPercent / 100 * (2 * random.unit(.tagOffset, tag, 1) - 1)
        let interval = scenario.advertisingInterval(times: slowness)
        self.init(
            entity: entity,
            schedule: AdvertisingSchedule(random, entity: entity, interval: interval),
            location: location,
            content: .beacon(
                identity, sender: DeviceAddress(address: address, type: 1),
                kind: random.unit(.eventType, tag) < 0.1 ? .connectable : .nonConnectable,
                data: random.unit(.flags, tag) < 0.5 ? full : Array(full.dropFirst(3))),
            span: span, powerDb: radio.tagDb * random.normal(.tagOffset, tag, 0))
    }
}
