/// Encodes numbers and texts, small numbers in few bytes.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// All bytes, followed by their checksum.
    package var checksummed: [UInt8] {
        var writer = self
        writer.put(fixed: Checksum.of(bytes[...]))
        return writer.bytes
    }

    package mutating func put(byte: UInt8) { bytes.append(byte) }

    /// Seven bits a byte, the lowest first; the eighth bit marks that more bytes follow (LEB128).
    package mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A signed number, those near zero in few bytes (zigzag).
    package mutating func put(signed number: Int64) {
        put(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    package mutating func put(signed number: Int) { put(signed: Int64(number)) }

    /// Eight bytes, the lowest first.
    package mutating func put(fixed number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    package mutating func put(_ number: Double) { put(fixed: number.bitPattern) }

    /// The length of a text in UTF-8, then its bytes.
    package mutating func put(_ text: String) {
        put(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// The number of bytes, then the bytes.
    package mutating func put(_ more: [UInt8]) {
        put(UInt64(more.count))
        bytes.append(contentsOf: more)
    }

    /// Whether there is a value, then the value.
    package mutating func put<Value>(
        _ value: Value?, _ put: (inout ByteWriter, Value) -> Void
    ) {
        self.put(byte: value == nil ? 0 : 1)
        if let value { put(&self, value) }
    }
}
