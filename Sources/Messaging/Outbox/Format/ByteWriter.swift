/// Encodes numbers and texts, small numbers in few bytes.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// All bytes, followed by their checksum.
    var checksummed: [UInt8] {
        var writer = self
        writer.put(fixed: Checksum.of(bytes[...]))
        return writer.bytes
    }

    mutating func put(byte: UInt8) { bytes.append(byte) }

    /// Seven bits a byte, the lowest first; the eighth bit marks that more bytes follow (LEB128).
    mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A signed number, those near zero in few bytes (zigzag).
    mutating func put(signed number: Int64) {
        put(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    mutating func put(signed number: Int) { put(signed: Int64(number)) }

    /// Eight bytes, the lowest first.
    mutating func put(fixed number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func put(_ number: Double) { put(fixed: number.bitPattern) }

    /// The length of a text in UTF-8, then its bytes.
    mutating func put(_ text: String) {
        put(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}
