/// Puts numbers behind each other, small ones in few bytes.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// All of it, and a seal over it.
    var sealed: [UInt8] {
        var sealed = self
        sealed.put(fixed: Seal.of(bytes[...]))
        return sealed.bytes
    }

    mutating func put(byte: UInt8) { bytes.append(byte) }

    mutating func put(bytes more: [UInt8]) { bytes.append(contentsOf: more) }

    /// Seven bits a byte, the lowest first, the eighth says that more follow (LEB128).
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

    /// A text: its length, then UTF-8.
    mutating func put(_ text: String) {
        put(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}
