extension [UInt8] {
    /// The offset of the first byte that is not UTF-8 (RFC 3629: surrogates and overlong forms are
    /// invalid); `nil` for valid text.
    var firstInvalidUTF8: Int? {
        var offset = 0
        while offset < count {
            guard let length = validScalarLength(at: offset) else { return offset }
            offset += length
        }
        return nil
    }

    private func validScalarLength(at offset: Int) -> Int? {
        let first = self[offset]
        guard first >= 0x80 else { return 1 }
        let second: ClosedRange<UInt8>
        let length: Int
        switch first {
        case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
        case 0xe0: (length, second) = (3, 0xa0...0xbf)
        case 0xed: (length, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
        case 0xf0: (length, second) = (4, 0x90...0xbf)
        case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
        case 0xf4: (length, second) = (4, 0x80...0x8f)
        default: return nil
        }
        guard offset + length <= count, second.contains(self[offset + 1]) else { return nil }
        for index in offset + 2..<offset + length where self[index] & 0xc0 != 0x80 { return nil }
        return length
    }
}
