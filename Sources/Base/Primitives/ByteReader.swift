/// Decodes the bytes of `ByteWriter`. Every value has a limit, because the bytes can be damaged.
package struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    package private(set) var offset: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    /// Reads the bytes before a checksum, if the checksum is right.
    package init(checksummed bytes: [UInt8]) throws(DecodeError) {
        guard bytes.count > Checksum.size else { throw DecodeError(offset: bytes.count) }
        let end = bytes.count - Checksum.size
        var checksum = ByteReader(bytes[end...])
        guard try checksum.fixed() == Checksum.of(bytes[..<end]) else {
            throw DecodeError(offset: end)
        }
        self.init(bytes[..<end])
    }

    package var isAtEnd: Bool { offset == bytes.endIndex }
    /// The number of unread bytes.
    package var left: Int { bytes.endIndex - offset }

    package mutating func byte() throws(DecodeError) -> UInt8 {
        guard offset < bytes.endIndex else { throw DecodeError(offset: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A number with seven bits a byte (LEB128).
    package mutating func number() throws(DecodeError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            let bits = UInt64(next & 0x7f)
            // The tenth byte holds one bit.
            guard shift < 63 || (shift == 63 && bits <= 1) else {
                throw DecodeError(offset: offset - 1)
            }
            value |= bits << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    /// A count of at most `limit`.
    package mutating func count(atMost limit: UInt64) throws(DecodeError) -> Int {
        let start = offset
        let value = try number()
        guard value <= limit, let count = Int(exactly: value) else {
            throw DecodeError(offset: start)
        }
        return count
    }

    /// A signed number from `-limit` to `limit`.
    package mutating func signed(within limit: Int64) throws(DecodeError) -> Int64 {
        let start = offset
        let bits = try number()
        let value = Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
        guard (-limit...limit).contains(value) else { throw DecodeError(offset: start) }
        return value
    }

    /// Eight bytes, the lowest first.
    package mutating func fixed() throws(DecodeError) -> UInt64 {
        guard left >= 8 else { throw DecodeError(offset: offset) }
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        offset += 8
        return value
    }

    /// A finite number.
    package mutating func double() throws(DecodeError) -> Double {
        let start = offset
        let value = Double(bitPattern: try fixed())
        guard value.isFinite else { throw DecodeError(offset: start) }
        return value
    }

    /// A text of at most `limit` bytes.
    package mutating func text(atMost limit: UInt64) throws(DecodeError) -> String {
        let start = offset
        let content = try slice(atMost: limit)
        guard let text = String(validating: content, as: UTF8.self) else {
            throw DecodeError(offset: start)
        }
        return text
    }

    /// At most `limit` bytes.
    package mutating func bytes(atMost limit: UInt64) throws(DecodeError) -> [UInt8] {
        Array(try slice(atMost: limit))
    }

    /// A value that may be absent.
    package mutating func optional<Value>(
        _ read: (inout ByteReader) throws(DecodeError) -> Value
    ) throws(DecodeError) -> Value? {
        switch try byte() {
        case 0: nil
        case 1: try read(&self)
        default: throw DecodeError(offset: offset - 1)
        }
    }

    private mutating func slice(atMost limit: UInt64) throws(DecodeError) -> ArraySlice<UInt8> {
        let length = try count(atMost: limit)
        guard left >= length else { throw DecodeError(offset: offset) }
        defer { offset += length }
        return bytes[offset..<offset + length]
    }
}

/// Stored bytes are damaged, or have another format.
package struct DecodeError: Error, Equatable, Sendable {
    /// The offset of the first wrong byte, or of the checksum.
    package let offset: Int

    package init(offset: Int) { self.offset = offset }
}
