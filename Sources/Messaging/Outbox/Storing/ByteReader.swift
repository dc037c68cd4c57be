/// Takes numbers as `ByteWriter` put them, and believes none of them.
struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private(set) var offset: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    /// What was sealed, without its seal, if that is whole.
    init(sealed bytes: [UInt8]) throws(Damage) {
        guard bytes.count > Seal.bytes else { throw Damage(offset: bytes.count) }
        let end = bytes.count - Seal.bytes
        var seal = ByteReader(bytes[end...])
        guard try seal.fixed() == Seal.of(bytes[..<end]) else { throw Damage(offset: end) }
        self.init(bytes[..<end])
    }

    var isAtEnd: Bool { offset == bytes.endIndex }
    /// Bytes that are left.
    var left: Int { bytes.endIndex - offset }

    mutating func byte() throws(Damage) -> UInt8 {
        guard offset < bytes.endIndex else { throw Damage(offset: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A number of seven bits a byte.
    mutating func number() throws(Damage) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            let bits = UInt64(next & 0x7f)
            // The tenth byte has room for one bit.
            guard shift < 63 || (shift == 63 && bits <= 1) else { throw Damage(offset: offset - 1) }
            value |= bits << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    /// A number of things or of units, no more than `limit`.
    mutating func count(atMost limit: UInt64) throws(Damage) -> Int {
        let start = offset
        let value = try number()
        guard value <= limit, let count = Int(exactly: value) else { throw Damage(offset: start) }
        return count
    }

    /// A signed number, no further from zero than `limit`.
    mutating func signed(within limit: Int64) throws(Damage) -> Int64 {
        let start = offset
        let bits = try number()
        let value = Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
        guard (-limit...limit).contains(value) else { throw Damage(offset: start) }
        return value
    }

    mutating func fixed() throws(Damage) -> UInt64 {
        guard left >= 8 else { throw Damage(offset: offset) }
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        offset += 8
        return value
    }

    /// A number that is one.
    mutating func double() throws(Damage) -> Double {
        let start = offset
        let value = Double(bitPattern: try fixed())
        guard value.isFinite else { throw Damage(offset: start) }
        return value
    }

    /// A text of no more than `limit` bytes.
    mutating func text(atMost limit: UInt64) throws(Damage) -> String {
        let length = try count(atMost: limit)
        guard left >= length else { throw Damage(offset: offset) }
        guard let text = String(validating: bytes[offset..<offset + length], as: UTF8.self) else {
            throw Damage(offset: offset)
        }
        offset += length
        return text
    }
}

/// Stored bytes are not what was stored.
package struct Damage: Error, Equatable, Sendable {
    /// Where it was noticed.
    package let offset: Int
}
