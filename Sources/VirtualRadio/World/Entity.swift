/// Numbers for all that sends, by which its random numbers are drawn.
enum Entity {
    private static let beacon: UInt64 = 1 << 60
    private static let visitor: UInt64 = 2 << 60
    private static let noise: UInt64 = 3 << 60

    static func beacon(group: Int, index: Int) -> UInt64 {
        beacon | UInt64(truncatingIfNeeded: group) << 32 | UInt64(truncatingIfNeeded: index)
    }

    static func visitor(minute: Int64, index: Int) -> UInt64 {
        let minutes = UInt64(bitPattern: minute) & 0xffff_ffff_ffff
        return visitor | minutes << 12 | UInt64(truncatingIfNeeded: index) & 0xfff
    }

    static func noise(_ index: Int) -> UInt64 { noise | UInt64(truncatingIfNeeded: index) }
}
