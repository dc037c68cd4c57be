/// Captures in the btsnoop format, written without the code under test.
package enum Captures {
    /// 1970-01-01 on the format's clock, in microseconds.
    private static let epoch: Int64 = 0x00dc_ddb3_0f2f_8000

    package static func header(link: UInt32, version: UInt32 = 1) -> [UInt8] {
        Array("btsnoop\0".utf8) + bigEndian(version) + bigEndian(link)
    }

    /// A record; `microseconds` since the Unix epoch.
    package static func record(
        _ packet: [UInt8], flags: UInt32 = 3, drops: UInt32 = 0, at microseconds: Int64
    ) -> [UInt8] {
        record(packet, flags: flags, drops: drops, stamp: microseconds &+ epoch)
    }

    /// A record; `stamp` is its time as the file encodes it.
    package static func record(
        _ packet: [UInt8], flags: UInt32 = 3, drops: UInt32 = 0, stamp: Int64
    ) -> [UInt8] {
        let count = UInt32(packet.count)
        return bigEndian(count) + bigEndian(count) + bigEndian(flags) + bigEndian(drops)
            + bigEndian(UInt64(bitPattern: stamp)) + packet
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (1...Number.bitWidth / 8).map {
            UInt8(truncatingIfNeeded: number >> Number(Number.bitWidth - $0 * 8))
        }
    }
}
