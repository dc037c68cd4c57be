/// Finds several byte sequences in one pass.
struct ByteSearch {
    private let needles: [[UInt8]]
    private let foldsCase: [Bool]
    /// Whether a needle can begin with two bytes.
    private var begins = [Bool](repeating: false, count: 65_536)

    /// - Parameter needles: sequences of two bytes or more, and whether letters match in any case.
    init(_ needles: [(bytes: [UInt8], foldsCase: Bool)]) {
        self.needles = needles.map { $0.foldsCase ? $0.bytes.map(Self.folded) : $0.bytes }
        foldsCase = needles.map(\.foldsCase)
        for (needle, folds) in zip(self.needles, foldsCase) where needle.count > 1 {
            for first in Self.variants(needle[0], folds) {
                for second in Self.variants(needle[1], folds) {
                    begins[Int(first) << 8 | Int(second)] = true
                }
            }
        }
    }

    /// The bytes that a later piece of a stream must repeat, so that a needle across two pieces is found.
    var overlap: Int { max(0, (needles.map(\.count).max() ?? 1) - 1) }

    /// The needles in `bytes` by index, with their offsets.
    func find(in bytes: [UInt8]) -> [(needle: Int, offset: Int)] {
        guard bytes.count > 1 else { return [] }
        var found: [(needle: Int, offset: Int)] = []
        for start in 0..<bytes.count - 1
        where begins[Int(bytes[start]) << 8 | Int(bytes[start + 1])] {
            for index in needles.indices where matches(index, bytes, start) {
                found.append((index, start))
            }
        }
        return found
    }

    private func matches(_ index: Int, _ bytes: [UInt8], _ start: Int) -> Bool {
        let needle = needles[index]
        guard needle.count > 1, start + needle.count <= bytes.count else { return false }
        for place in needle.indices {
            let byte = bytes[start + place]
            guard (foldsCase[index] ? Self.folded(byte) : byte) == needle[place] else {
                return false
            }
        }
        return true
    }

    private static func variants(_ byte: UInt8, _ folds: Bool) -> [UInt8] {
        folds && (0x61...0x7a).contains(byte) ? [byte, byte - 0x20] : [byte]
    }

    /// ASCII letters in lower case.
    private static func folded(_ byte: UInt8) -> UInt8 {
        (0x41...0x5a).contains(byte) ? byte + 0x20 : byte
    }
}
