import Primitives

/// Numbers for all that sends, by which its random numbers are drawn.
enum Entity {
    private static let beacon: UInt64 = 1 << 60
    private static let visitor: UInt64 = 2 << 60
    private static let noise: UInt64 = 3 << 60
    private static let advertisement: UInt64 = 4 << 60

    static func beacon(group: Int, index: Int) -> UInt64 {
        beacon | UInt64(truncatingIfNeeded: group) << 32 | UInt64(truncatingIfNeeded: index)
    }

    static func visitor(minute: Int64, index: Int) -> UInt64 {
        let minutes = UInt64(bitPattern: minute) & 0xffff_ffff_ffff
        return visitor | minutes << 12 | UInt64(truncatingIfNeeded: index) & 0xfff
    }

    /// What a gateway's controller advertises, in a set or (`nil`) by the legacy commands.
    static func advertisement(of gateway: String, handle: UInt8?) -> UInt64 {
        let number = SplitMix64.mix(
            SeededRandom.number(of: gateway) &+ UInt64(handle.map { $0 } ?? 0xff))
        return advertisement | number & (1 << 60 - 1)
    }

    static func noise(_ index: Int) -> UInt64 { noise | UInt64(truncatingIfNeeded: index) }
}
