import Beacons
import Glibc
import Primitives

/// What becomes of a signal between a beacon and a gateway.
struct Propagation: Sendable {
    private let random: SeededRandom
    private let radio: Scenario.Radio

    /// The RSSI that a report can bear; a receiver hears nothing below it.
    private static let range = -110.0...20.0
    /// On both sides of the sensitivity, in dB, where some packets come through and some do not.
    private static let edge = 3.0

    /// How fast slow parts change for a person who stands, and for one who walks.
    private enum Pace {
        /// Seconds for a reflection to change while the person stands.
        static let multipathSeconds = 300.0
        static let sideSeconds = 50.0
        static let sideMetres = 7.0
        /// People in the way: the mean time from one to the next in microseconds, and the mean time that each one stays.
        static let bodyCycle: Int64 = 16_000_000
        static let bodyTime = 4_000_000.0
        /// The share of the time in which a person is in the way.
        static let bodyShare = bodyTime / Double(bodyCycle)
    }

    init(_ random: SeededRandom, _ radio: Scenario.Radio) {
        self.random = random
        self.radio = radio
    }

    /// The mean RSSI over shadowing and fading, in dBm (log-distance path loss).
    ///
    /// - Parameters:
    ///   - power: dBm at one metre.
    ///   - distance: metres, at least 0.3.
    func mean(power: Double, distance: Double, at receiver: Receiver) -> Double {
        power + receiver.gainDb - 10 * receiver.exponent * log10(max(0.3, distance))
    }

    /// One packet's RSSI; `nil` when it is lost.
    ///
    /// - Parameters:
    ///   - link: identifies the pair of beacon and gateway.
    ///   - time: on the world's timeline.
    ///   - metres: how far the beacon has come.
    ///   - packet: its number.
    func rssi(mean: Double, link: UInt64, time: Instant, metres: Double = 0, packet: Int64) -> RSSI?
    {
        let level =
            mean + shadow(link, time, metres) + multipath(link, time, metres)
            + side(link, time, metres) + body(link, time)
            + radio.fadingDb * random.normal(.fading, link, packet)
        if let sensitivity = radio.sensitivityDbm {
            let share = (level - (sensitivity - Self.edge)) / (2 * Self.edge)
            if random.unit(.weakSignal, link, packet) >= share { return nil }
        }
        if radio.lossPercent > 0,
            random.unit(.loss, link, packet) * 100 < radio.lossPercent
        {
            return nil
        }
        return RSSI(
            dBm: Int8(min(max(level, Self.range.lowerBound), Self.range.upperBound).rounded()))
    }

    /// Shelves and people.
    private func shadow(_ link: UInt64, _ time: Instant, _ metres: Double) -> Double {
        guard radio.shadowing.db > 0 else { return 0 }
        return radio.shadowing.db
            * slow(
                .shadowing, link, seconds: radio.shadowing.seconds,
                progress(time, metres, radio.shadowing.seconds, radio.shadowing.metres))
    }

    /// Reflections: frozen for a person who stands.
    private func multipath(_ link: UInt64, _ time: Instant, _ metres: Double) -> Double {
        guard radio.multipathDb > 0 else { return 0 }
        return radio.multipathDb
            * slow(
                .multipath, link, seconds: Pace.multipathSeconds,
                progress(time, metres, Pace.multipathSeconds, radio.multipathMetres))
    }

    /// The side on which the tag is worn.
    private func side(_ link: UInt64, _ time: Instant, _ metres: Double) -> Double {
        guard radio.sideDb > 0 else { return 0 }
        let turn = progress(time, metres, Pace.sideSeconds, Pace.sideMetres)
            .microseconds.flooredDivision(by: Int64(Pace.sideSeconds * 1_000_000))
        return radio.sideDb * random.normal(.side, link, turn)
    }

    /// A person in the way for a part of each cycle, with mean 0 and standard deviation `bodyDb`.
    private func body(_ link: UInt64, _ time: Instant) -> Double {
        guard radio.bodyDb > 0 else { return 0 }
        let cycle = time.microseconds.flooredDivision(by: Pace.bodyCycle)
        let length = min(
            -Glibc.log(1 - random.unit(.body, link, cycle &* 2)) * Pace.bodyTime,
            Double(Pace.bodyCycle))
        let start = random.unit(.body, link, cycle &* 2 &+ 1) * (Double(Pace.bodyCycle) - length)
        let position = Double(time.microseconds - cycle * Pace.bodyCycle)
        let isBlocked = position >= start && position < start + length
        let deviation = (Pace.bodyShare * (1 - Pace.bodyShare)).squareRoot()
        return -radio.bodyDb * ((isBlocked ? 1 : 0) - Pace.bodyShare) / deviation
    }

    /// Time in which walking counts as well: `metres` change as much as `seconds`.
    private func progress(
        _ time: Instant, _ metres: Double, _ seconds: Double, _ perMetres: Double?
    ) -> Instant {
        guard let perMetres else { return time }
        return time.advanced(byMicroseconds: Int64(metres * seconds / perMetres * 1_000_000))
    }

    /// Slow noise of standard deviation 1, correlated over `seconds` of progress.
    private func slow(
        _ subject: SeededRandom.Subject, _ link: UInt64, seconds: Double, _ time: Instant
    ) -> Double {
        let width = Int64(seconds * 1_000_000)
        let node = time.microseconds.flooredDivision(by: width)
        let share = Double(time.microseconds - node * width) / Double(width)
        let before = random.normal(subject, link, node)
        let after = random.normal(subject, link, node + 1)
        // A plain blend of two independent values would be tamer half-way than at its ends.
        let blend = (1 - share) * before + share * after
        return blend / ((1 - share) * (1 - share) + share * share).squareRoot()
    }
}

/// A gateway's receiver, with the offsets that the seed gives it.
struct Receiver: Sendable {
    let station: UInt64
    let place: Point
    let gainDb: Double
    let exponent: Double

    init(_ random: SeededRandom, _ radio: Scenario.Radio, _ gateway: Scenario.Gateway) {
        station = SeededRandom.number(of: gateway.id)
        place = gateway.place
        gainDb = gateway.gainDb + radio.gatewayDb * random.normal(.gatewayOffset, station, 0)
        let spread = -radio.pathLossSpread...radio.pathLossSpread
        exponent = radio.pathLossExponent + random.uniform(spread, .gatewayOffset, station, 1)
    }
}
