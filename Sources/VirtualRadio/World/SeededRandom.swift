import Glibc
import Primitives

/// Random numbers as a pure function of (seed, subject, entity, index).
///
/// There is no state: processes that ask at different times and in different orders get equal
/// numbers.
package struct SeededRandom: Sendable {
    /// What a number decides; each has numbers of its own.
    package enum Subject: UInt64, Sendable {
        case address = 1
        case advertisingDelay
        case advertisingPhase
        case arrivals
        case arrivalMoment
        case browsing
        case eventType
        case fading
        case flags
        case loss
        case noiseData
        case noisePlace
        case service
        case shadowing
        case speed
        case weakSignal
        case arrivalThinning
        case body
        case gatewayOffset
        case multipath
        case passerBy
        case patience
        case phone
        case queueChoice
        case side
        case staff
        case tag
        case tagOffset
    }

    private let seed: UInt64

    package init(seed: UInt64) { self.seed = SplitMix64.mix(seed &+ SplitMix64.gamma) }

    /// 64 bits.
    @inline(__always)
    package func word(_ subject: Subject, _ entity: UInt64, _ index: Int64 = 0) -> UInt64 {
        let place = SplitMix64.mix(seed ^ subject.rawValue &* 0xd6e8_feb8_6659_fd93) ^ entity
        return SplitMix64.mix(
            SplitMix64.mix(place) &+ UInt64(bitPattern: index) &* SplitMix64.gamma)
    }

    /// From 0 up to, but not including, 1.
    @inline(__always)
    package func unit(_ subject: Subject, _ entity: UInt64, _ index: Int64 = 0) -> Double {
        Double(word(subject, entity, index) >> 11) * 0x1p-53
    }

    /// A part of `whole` for an entity, by which its changes differ from those of others.
    @inline(__always)
    func part(of whole: Duration, _ subject: Subject, _ entity: UInt64) -> Duration {
        .microseconds(Int64(word(subject, entity, .max) % UInt64(max(1, whole.microseconds))))
    }

    /// Evenly distributed in `range`.
    package func uniform(
        _ range: ClosedRange<Double>, _ subject: Subject, _ entity: UInt64, _ index: Int64 = 0
    ) -> Double {
        range.lowerBound
            + (range.upperBound - range.lowerBound) * unit(subject, entity, index)
    }

    /// Mean 0, standard deviation 1, in the shape of a bell: the sum of four even numbers, whose tails end at ±3.46.
    ///
    /// Sums and one root instead of logarithms and cosines: the same bits from every C library.
    @inline(__always)
    package func normal(_ subject: Subject, _ entity: UInt64, _ index: Int64 = 0) -> Double {
        let word = word(subject, entity, index)
        let sum =
            (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48)
        return (Double(sum) / 65_535 - 2) * 1.732_050_807_568_877_2
    }

    /// How many of the events of a Poisson process with this mean happen, `limit` at most.
    package func poisson(
        mean: Double, limit: Int, _ subject: Subject, _ entity: UInt64, _ index: Int64
    ) -> Int {
        var left = unit(subject, entity, index)
        var probability = exp(-mean)
        var count = 0
        while left >= probability, count < limit {
            left -= probability
            count += 1
            probability *= mean / Double(count)
        }
        return count
    }

    /// The index of one of the weights, which are not negative; `draw` is from 0 to 1.
    static func choice(_ draw: Double, among weights: [Double]) -> Int {
        var rest = draw * weights.reduce(0, +)
        for (index, weight) in weights.enumerated() {
            rest -= weight
            if rest < 0 { return index }
        }
        return 0
    }

    /// A number for a name (FNV-1a, then mixed).
    package static func number(of name: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return SplitMix64.mix(hash)
    }
}
