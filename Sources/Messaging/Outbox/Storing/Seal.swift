/// A checksum that notices every damage within eight aligned bytes, and nearly every other.
///
/// Each step maps its 64 bits onto 64 bits one to one, so that what differs once differs to the end.
enum Seal {
    /// The seal's own length.
    static let bytes = 8

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { buffer in
            var state = UInt64(buffer.count) &* 0x9e37_79b9_7f4a_7c15
            var offset = 0
            // By words: every row is sealed when it is written, and again when it is read.
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
