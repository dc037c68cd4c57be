import Primitives

/// The organisation's number: the 16-byte UUID of an iBeacon.
///
/// Two integers instead of sixteen bytes, so that a key hashes and compares fast.
@usableFromInline
package struct ProximityUUID: Hashable, Sendable {
    /// The first eight bytes, most significant first.
    @usableFromInline package let high: UInt64
    /// The last eight bytes.
    @usableFromInline package let low: UInt64

    @inlinable @inline(__always)
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The sixteen bytes that begin at `offset`.
    @inline(__always)
    init(in bytes: Bytes, at offset: Int) {
        self.init(high: bytes.bigEndian64(at: offset), low: bytes.bigEndian64(at: offset + 8))
    }

    @inlinable @inline(__always)
    package static func == (left: ProximityUUID, right: ProximityUUID) -> Bool {
        left.high == right.high && left.low == right.low
    }

    /// Reads 32 hexadecimal digits in any case, with hyphens in the usual four places (8-4-4-4-12) or without any.
    package init?(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8))
    }

    /// The same for the text's UTF-8.
    package init?(utf8 characters: [UInt8]) {
        let hyphenated = characters.count == 36
        guard hyphenated || characters.count == 32 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        var digits = 0
        for (index, character) in characters.enumerated() {
            if hyphenated, index == 8 || index == 13 || index == 18 || index == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = hexadecimalDigit(character) else { return nil }
            if digits < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
            digits += 1
        }
        self.init(high: high, low: low)
    }

    /// The sixteen bytes in the order in which they are sent.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in
            (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) }
        }
    }
}

extension ProximityUUID: CustomStringConvertible {
    /// Lower case with hyphens, as the contract writes it.
    @usableFromInline
    package var description: String {
        let digits = Hexadecimal.text(bytes)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}

private func hexadecimalDigit(_ character: UInt8) -> UInt64? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(character - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(character - UInt8(ascii: "A") + 10)
    default: nil
    }
}
