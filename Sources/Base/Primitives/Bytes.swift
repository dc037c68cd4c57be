/// Borrowed bytes, as they came from outside: `count`, subscripts and `extracting` are all that is used of them.
///
/// `Span` checks its bounds and its lifetime; the compilers before 6.2 lack it, and get a pointer
/// whose bounds every parser here has checked by itself anyway.
#if compiler(>=6.2)
    package typealias Bytes = Span<UInt8>
#else
    package typealias Bytes = UnsafeBufferPointer<UInt8>
#endif

extension [UInt8] {
    /// Lends the array's bytes to `body`.
    package func withBytes<Result, Failure: Error>(
        _ body: (Bytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if compiler(>=6.2)
            try body(span)
        #else
            try withUnsafeBufferPointer { bytes in
                Swift.Result { () throws(Failure) in try body(bytes) }
            }.get()
        #endif
    }
}

extension ArraySlice<UInt8> {
    /// Lends the slice's bytes to `body`, which counts them from 0.
    package func withBytes<Result>(_ body: (Bytes) -> Result) -> Result {
        #if compiler(>=6.2)
            body(span)
        #else
            withUnsafeBufferPointer(body)
        #endif
    }
}

/// Numbers at an offset: one load each. Inlinable, since parsers in other rooms read every report through them.
extension Bytes {
    @inlinable @inline(__always)
    package func littleEndian16(at offset: Int) -> UInt16 {
        UInt16(littleEndian: load(at: offset))
    }

    @inlinable @inline(__always)
    package func littleEndian32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: load(at: offset))
    }

    @inlinable @inline(__always)
    package func littleEndian64(at offset: Int) -> UInt64 {
        UInt64(littleEndian: load(at: offset))
    }

    @inlinable @inline(__always)
    package func bigEndian16(at offset: Int) -> UInt16 { UInt16(bigEndian: load(at: offset)) }

    @inlinable @inline(__always)
    package func bigEndian32(at offset: Int) -> UInt32 { UInt32(bigEndian: load(at: offset)) }

    @inlinable @inline(__always)
    package func bigEndian64(at offset: Int) -> UInt64 { UInt64(bigEndian: load(at: offset)) }

    /// Put together byte by byte, with a check for each, the numbers of one report take 150 to 250 instructions more.
    @inlinable @inline(__always)
    package func load<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        #if compiler(>=6.2)
            // Checks its bounds. Unsafe are only types for which not all bits are a value: no integer is.
            unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self)
        #else
            UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: offset, as: Number.self)
        #endif
    }

    /// A copy that outlives the loan.
    package func copied() -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(count)
        for index in 0..<count { copy.append(self[index]) }
        return copy
    }
}

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
