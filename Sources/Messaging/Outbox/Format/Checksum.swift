/// A 64-bit checksum that detects every change within eight aligned bytes, and nearly every other change.
///
/// Each step maps 64 bits to 64 bits one to one, so a difference never disappears.
enum Checksum {
    /// The size of a checksum in bytes.
    static let size = 8

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { buffer in
            var state = UInt64(buffer.count) &* 0x9e37_79b9_7f4a_7c15
            var offset = 0
            // Words instead of bytes: each row is summed when it is written, and again when it is read.
            while offset &+ 8 <= buffer.count {
                let word = buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                state = mix(state ^ UInt64(littleEndian: word))
                offset &+= 8
            }
            var rest: UInt64 = 0
            while offset < buffer.count {
                rest = rest << 8 | UInt64(buffer[offset])
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
