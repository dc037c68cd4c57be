/// A 64-bit checksum that detects every change within eight aligned bytes, and nearly every other change.
///
/// Each step maps 64 bits to 64 bits one to one, so a difference never disappears.
package enum Checksum {
    /// The size of a checksum in bytes.
    package static let size = 8

    package static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withBytes { bytes in
            var state = UInt64(bytes.count) &* 0x9e37_79b9_7f4a_7c15
            var offset = 0
            // Words instead of bytes: each row is summed when it is written, and again when it is read.
            while offset &+ 8 <= bytes.count {
                state = mix(state ^ bytes.littleEndian64(at: offset))
                offset &+= 8
            }
            var rest: UInt64 = 0
            while offset < bytes.count {
                rest = rest << 8 | UInt64(bytes[offset])
                offset &+= 1
            }
            return mix(state ^ rest)
        }
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value &* 0xbf58_476d_1ce4_e5b9
        return product ^ product >> 32
    }
}
