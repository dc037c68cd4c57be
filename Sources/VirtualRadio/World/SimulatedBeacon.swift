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

/// One advertising packet, as it comes out of a receiver.
package struct Advertisement: Equatable, Sendable {
    /// A legacy advertising PDU, by the number that a legacy report gives it (Core 5.4 Vol 4 Part E 7.7.65.2).
    package enum Kind: UInt8, Sendable {
        case connectable = 0x00
        case scannable = 0x02
        case nonConnectable = 0x03

        /// The bits that an extended report has for it (7.7.65.13): legacy PDU, scannable, connectable.
        package var extendedBits: UInt16 {
            switch self {
            case .connectable: 0x0013
            case .scannable: 0x0012
            case .nonConnectable: 0x0010
            }
        }

        /// The kind with these bits; `nil` for directed advertisements and for extended PDUs.
        init?(properties: UInt16) {
            switch properties {
            case 0x0013: self = .connectable
            case 0x0012: self = .scannable
            case 0x0010: self = .nonConnectable
            default: return nil
            }
        }
    }

    /// On the receiver's timeline.
    package var time: Instant
    package let sender: DeviceAddress
    package let kind: Kind
    /// At most 31 bytes.
    package let data: [UInt8]
    package let rssi: RSSI
    /// The identity in the data, parsed once; `nil` if it is not an iBeacon.
    package let identity: BeaconIdentity?
    /// Bits for channels 37, 38, 39.
    package let channels: UInt8

    package init(
        time: Instant, sender: DeviceAddress, kind: Kind, data: [UInt8], rssi: RSSI,
        identity: BeaconIdentity? = nil, channels: UInt8 = 7
    ) {
        self.time = time
        self.sender = sender
        self.kind = kind
        self.data = data
        self.rssi = rssi
        self.identity = identity
        self.channels = channels
    }
}

/// The times at which one advertiser sends: every interval plus a random delay of 0 to 10 ms (Core
/// 5.4 Vol 6 Part B 4.4.2.2).
///
/// The delays come in pairs of `d` and `10 ms - d`. Each interval follows the specification, and
/// the time of packet `n` is known without a sum of all earlier delays.
package struct AdvertisingSchedule: Sendable {
    /// The largest delay, in microseconds.
    private static let maxDelay: Int64 = 10_000

    private let random: SeededRandom
    private let entity: UInt64
    // Microseconds: each packet of a crowd needs some divisions.
    private let interval: Int64
    private let phase: Int64

    /// - Parameter interval: without the delay.
    package init(_ random: SeededRandom, entity: UInt64, interval: Duration) {
        self.random = random
        self.entity = entity
        self.interval = max(1, interval.microseconds)
        let pair = 2 * self.interval + Self.maxDelay
        phase = Int64(random.word(.advertisingPhase, entity) % UInt64(pair))
    }

    /// One that sends at `origin`, of all moments.
    package init(_ random: SeededRandom, entity: UInt64, interval: Duration, origin: Instant) {
        self.random = random
        self.entity = entity
        self.interval = max(1, interval.microseconds)
        let pair = 2 * self.interval + Self.maxDelay
        let origin = origin.microseconds
        phase = origin - origin.flooredDivision(by: pair) * pair
    }

    /// Microseconds from one even packet to the next.
    private var pair: Int64 { 2 * interval + Self.maxDelay }

    /// The moment of packet `number`.
    package func time(of number: Int64) -> Instant {
        let half = number >> 1
        let even = phase + half * pair
        guard number & 1 == 1 else { return Instant(microseconds: even) }
        let delay = random.word(.advertisingDelay, entity, half) % UInt64(Self.maxDelay + 1)
        return Instant(microseconds: even + interval + Int64(delay))
    }

    /// The number of the first packet that is not before `time`.
    package func first(notBefore time: Instant) -> Int64 {
        var number = (time.microseconds - phase).flooredDivision(by: pair) * 2
        while self.time(of: number) < time { number += 1 }
        return number
    }

    /// How many packets are sent from `start` until just before `end`.
    package func count(from start: Instant, to end: Instant) -> Int64 {
        end > start ? first(notBefore: end) - first(notBefore: start) : 0
    }
}
