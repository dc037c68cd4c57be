import Primitives

/// Numbers for all that sends, by which its random numbers are drawn.
enum Entity {
    private static let beacon: UInt64 = 1 << 60
    private static let visitor: UInt64 = 2 << 60
    private static let noise: UInt64 = 3 << 60
    private static let advertisement: UInt64 = 4 << 60

    private static let passerBy: UInt64 = 5 << 60
    private static let staff: UInt64 = 6 << 60
    private static let tag: UInt64 = 7 << 60

    static func beacon(group: Int, index: Int) -> UInt64 {
        beacon | UInt64(truncatingIfNeeded: group) << 32 | UInt64(truncatingIfNeeded: index)
    }

    static func visitor(minute: Int64, index: Int) -> UInt64 {
        visitor | turn(minute, index)
    }

    static func passerBy(minute: Int64, index: Int) -> UInt64 { passerBy | turn(minute, index) }

    private static func turn(_ minute: Int64, _ index: Int) -> UInt64 {
        let minutes = UInt64(bitPattern: minute) & 0xffff_ffff_ffff
        return minutes << 12 | UInt64(truncatingIfNeeded: index) & 0xfff
    }

    static func staff(group: Int, index: Int) -> UInt64 {
        staff | UInt64(truncatingIfNeeded: group) << 32 | UInt64(truncatingIfNeeded: index)
    }

    /// Which of `count` things that are used in turn is used at turn `number`.
    static func turn(_ number: Int64, of count: Int) -> UInt16 {
        let count = Int64(max(1, count))
        return UInt16(truncatingIfNeeded: number - number.flooredDivision(by: count) * count)
    }

    /// A tag that several people carry in turn.
    static func tag(major: UInt16, minor: UInt16) -> UInt64 {
        tag | UInt64(major) << 16 | UInt64(minor)
    }

    /// What a gateway's controller advertises, in a set or (`nil`) by the legacy commands.
    static func advertisement(of gateway: String, handle: UInt8?) -> UInt64 {
        let number = SplitMix64.mix(
            SeededRandom.number(of: gateway) &+ UInt64(handle.map { $0 } ?? 0xff))
        return advertisement | number & (1 << 60 - 1)
    }

    static func noise(_ index: Int) -> UInt64 { noise | UInt64(truncatingIfNeeded: index) }
}
