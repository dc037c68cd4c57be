import Primitives

/// A walk over the AD structures of an advertisement: length, type, data, again and again
/// (Core 5.4 Vol 3 Part C 11).
///
/// A length of zero ends the significant part; a structure that runs past the end is malformed.
package struct AdvertisingData {
    /// One AD structure; `data` are offsets in the bytes that are walked.
    package struct Structure {
        package let type: UInt8
        package let data: Range<Int>
    }

    /// An AD structure at `offset` claims more bytes than there are.
    package struct Malformed: Error, Equatable {
        package let offset: Int
    }

    private var offset = 0

    @inline(__always)
    package init() {}

    /// The next structure of `bytes`, which must be the same at every step; `nil` after the last.
    @inline(__always)
    package mutating func next(in bytes: Bytes) throws(Malformed) -> Structure? {
        guard offset < bytes.count else { return nil }
        let length = Int(bytes[offset])
        guard length > 0 else { return nil }
        let end = offset + 1 + length
        guard end <= bytes.count else { throw Malformed(offset: offset) }
        defer { offset = end }
        return Structure(type: bytes[offset + 1], data: offset + 2..<end)
    }
}
