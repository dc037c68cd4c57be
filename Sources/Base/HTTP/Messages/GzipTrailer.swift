/// The end of a file in gzip's format, which identifies what it has compressed (RFC 1952, section 2.3.1).
struct GzipTrailer: Equatable {
    /// CRC-32 of the content.
    private let checksum: UInt32
    /// The content's length modulo 2³².
    private let length: UInt32

    private static let size = 8

    /// Reads the trailer; `nil` if there is none.
    init?(compressed bytes: [UInt8]) {
        guard bytes.count > Self.size else { return nil }
        let words = [Self.size, Self.size / 2].map { place in
            bytes.suffix(place).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        (checksum, length) = (words[0], words[1])
    }

    /// The trailer of a compressed form of `content`.
    init(of content: [UInt8]) {
        checksum = ~content.reduce(~0) { sum, byte in
            sum >> 8 ^ Self.table[Int((sum ^ UInt32(byte)) & 0xff)]
        }
        length = UInt32(truncatingIfNeeded: content.count)
    }

    /// RFC 1952, section 8.
    private static let table = (0..<256 as Range<UInt32>).map { byte in
        (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
    }
}
