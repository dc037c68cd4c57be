import Primitives

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
