extension [UInt8] {
    /// Throws for bytes that are not UTF-8 (RFC 3629: surrogates and overlong forms are invalid), and for NUL.
    func checkCharacters() throws(JSONFlaw) {
        var offset = 0
        while offset < count {
            offset = endOfASCII(from: offset)
            guard offset < count else { return }
            if self[offset] == 0 { throw JSONFlaw("a NUL character", at: offset) }
            guard let length = validScalarLength(at: offset) else {
                throw JSONFlaw("this is not UTF-8", at: offset)
            }
            offset += length
        }
    }

    /// The offset of the next byte that is not ASCII, or NUL, or less: eight bytes are looked at together.
    private func endOfASCII(from start: Int) -> Int {
        withUnsafeBytes { bytes in
            var offset = start
            while offset + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                // A byte's highest bit is set if it was so before, or if the byte was 0.
                guard (word | (word &- 0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080 == 0 else {
                    break
                }
                offset += 8
            }
            return offset
        }
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
