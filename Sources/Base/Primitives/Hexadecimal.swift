/// Bytes as hexadecimal text.
package enum Hexadecimal {
    /// The reason why a text can't be read.
    package enum Fault: Error, Equatable {
        /// A character that is not a digit; positions start at 1.
        case unexpected(Character, at: Int)
        /// The last byte has one digit only.
        case odd(digits: Int)
        case empty
    }

    /// Reads pairs of digits in any case, with or without `0x` and separators.
    package static func bytes(of text: String) throws(Fault) -> [UInt8] {
        var digits: [UInt8] = []
        var afterZero = false
        for (index, character) in text.enumerated() {
            if let digit = character.isASCII ? character.hexDigitValue : nil {
                digits.append(UInt8(truncatingIfNeeded: digit))
                afterZero = digit == 0
                continue
            }
            if character == "x" || character == "X", afterZero, digits.count % 2 == 1 {
                digits.removeLast()
            } else if !" \t\r\n:-,".contains(character) {
                throw .unexpected(character, at: index + 1)
            }
            afterZero = false
        }
        guard !digits.isEmpty else { throw .empty }
        guard digits.count.isMultiple(of: 2) else { throw .odd(digits: digits.count) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Two digits a byte, lower case.
    package static func text(_ bytes: some Sequence<UInt8>, separator: String = "") -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: separator)
    }

    /// A number of 16 bits with its prefix: `0x004c`.
    package static func number(_ value: UInt16) -> String {
        "0x" + text([UInt8(value >> 8), UInt8(value & 0xff)])
    }
}
