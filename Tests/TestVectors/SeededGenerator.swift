import Primitives

/// Random numbers that a printed seed repeats.
package struct SeededGenerator: RandomNumberGenerator {
    private var generator: SplitMix64

    package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    package mutating func next() -> UInt64 { generator.next() }

    /// `true` once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }
}
