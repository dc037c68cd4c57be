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

/// Numbers at an offset that the caller has bounds-checked. Inlinable, and not generic: parsers in other rooms read
/// every report through them.
extension Bytes {
    @inlinable @inline(__always)
    package func littleEndian16(at offset: Int) -> UInt16 {
        UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
    }

    @inlinable @inline(__always)
    package func littleEndian32(at offset: Int) -> UInt32 {
        UInt32(littleEndian16(at: offset)) | UInt32(littleEndian16(at: offset + 2)) << 16
    }

    @inlinable @inline(__always)
    package func littleEndian64(at offset: Int) -> UInt64 {
        UInt64(littleEndian32(at: offset)) | UInt64(littleEndian32(at: offset + 4)) << 32
    }

    @inlinable @inline(__always)
    package func bigEndian16(at offset: Int) -> UInt16 { littleEndian16(at: offset).byteSwapped }

    @inlinable @inline(__always)
    package func bigEndian32(at offset: Int) -> UInt32 { littleEndian32(at: offset).byteSwapped }

    @inlinable @inline(__always)
    package func bigEndian64(at offset: Int) -> UInt64 { littleEndian64(at: offset).byteSwapped }

    /// A copy that outlives the loan.
    package func copied() -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(count)
        for index in 0..<count { copy.append(self[index]) }
        return copy
    }
}
