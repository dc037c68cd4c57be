import Beacons

/// An advertiser: its content, schedule and position.
struct Advertiser: Sendable {
    /// Where it is.
    enum Location: Sendable {
        case fixed(Point)
        case visiting(Visit)
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

    /// Whether it sends at all between two moments.
    func isPresent(from start: Int64, to end: Int64) -> Bool {
        switch location {
        case .fixed: true
        case .visiting(let visit): visit.start < end && start < visit.end
        }
    }

    /// The numbers of the packets that it sends from `start` until just before `end`.
    func packets(from start: Int64, to end: Int64) -> Range<Int64> {
        var (start, end) = (start, end)
        if case .visiting(let visit) = location {
            start = max(start, visit.start)
            end = min(end, visit.end)
        }
        guard start < end else { return 0..<0 }
        let first = schedule.first(notBefore: start)
        // Within a batch's few milliseconds there is hardly ever a second one.
        if schedule.time(of: first) >= end { return first..<first }
        return first..<max(first, schedule.first(notBefore: end))
    }

    func place(at time: Int64) -> Point {
        switch location {
        case .fixed(let point): point
        case .visiting(let visit): visit.place(at: time)
        }
    }

    /// The identity that it advertises; `nil` for noise.
    var identity: BeaconIdentity? {
        if case .beacon(let identity, _, _, _) = content { identity } else { nil }
    }
}

extension Advertiser {
    /// A beacon, in one of the shapes that are seen in the field: with and without flags, some of them connectable.
    init(
        _ random: SeededRandom, beacon: IBeacon, entity: UInt64, interval: Int64,
        location: Location
    ) {
        let address = random.word(.address, entity) | 0xc000_0000_0000
        let full = beacon.advertisingData
        let data = random.unit(.flags, entity) < 0.5 ? full : Array(full.dropFirst(3))
        self.init(
            entity: entity,
            schedule: AdvertisingSchedule(random, entity: entity, interval: interval),
            location: location,
            content: .beacon(
                beacon.identity, sender: DeviceAddress(address: address, type: 1),
                kind: random.unit(.eventType, entity) < 0.1 ? .connectable : .nonConnectable,
                data: data))
    }
}
