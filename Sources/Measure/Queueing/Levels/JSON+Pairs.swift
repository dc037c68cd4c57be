import JSON

extension JSON {
    /// The bins that are not empty: an array of pairs, each a bin and its count.
    static func pairs(_ bins: some Sequence<(bin: Int, count: Int64)>) -> JSON {
        .array(
            bins.filter { $0.count != 0 }.map { [.integer(Int64($0.bin)), .integer($0.count)] })
    }
}

extension ObjectReader {
    /// Bins and their counts, as `JSON.pairs` wrote them; empty when they are absent.
    mutating func pairs(_ key: String, below limit: Int) -> [(bin: Int, count: Int64)] {
        guard let json = json(key) else { return [] }
        guard case .array(let elements) = json else {
            note(key, .wrongType, "\(key) must be an array of pairs, not \(json.kind)")
            return []
        }
        return elements.compactMap { element in
            guard case .array(let pair) = element, pair.count == 2,
                case .integer(let bin) = pair[0], case .integer(let count) = pair[1],
                (0..<Int64(limit)).contains(bin), count >= 0
            else {
                note(key, .outOfRange, "\(key) must have pairs of a bin below \(limit) and a count")
                return nil
            }
            return (Int(bin), count)
        }
    }
}
