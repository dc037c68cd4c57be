/// A random generator whose whole state is one word: equal seeds give equal numbers.
///
/// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014. It is not for secrets.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    /// The increment of the state.
    package static let gamma: UInt64 = 0x9e37_79b9_7f4a_7c15

    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= Self.gamma
        return Self.mix(state)
    }

    /// The output function: every bit of `word` reaches every bit of the result.
    @inline(__always)
    package static func mix(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }

    /// The word whose `mix` this is: each step of `mix` has an inverse.
    package static func unmix(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ word >> 31 ^ word >> 62) &* 0x3196_42b2_d24d_8ec3
        word = (word ^ word >> 27 ^ word >> 54) &* 0x96de_1b17_3f11_9089
        return word ^ word >> 30 ^ word >> 60
    }
}
