/// Spelling suggestions: the known word that is nearest to an unknown one.
package enum NearestWord {
    /// The word that a typing slip could have turned into `word`; `nil` when none is near.
    ///
    /// Near is a third of the word's letters at most (the optimal string alignment distance, case ignored).
    package static func to(_ word: String, among candidates: [String]) -> String? {
        all(to: word, among: candidates).first
    }

    /// All near words, the nearest first, and equally near ones in the given order.
    package static func all(to word: String, among candidates: [String]) -> [String] {
        // A longer word is no misspelling, and the cost of the distance grows with the square of
        // the length.
        guard word.utf8.count <= 64 else { return [] }
        let letters = Array(word.lowercased())
        return candidates.map { ($0, distance(letters, Array($0.lowercased()))) }
            .filter { $0.1 <= max(1, max(letters.count, $0.0.count) / 3) }
            .enumerated()
            .sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
            .map(\.element.0)
    }

    /// Letters to insert, delete, replace, or swap with their neighbour.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let cost = left[row] == right[column] ? 0 : 1
                var least = min(
                    previous[column + 1] + 1, current[column] + 1, previous[column] + cost)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    least = min(least, beforePrevious[column - 1] + 1)
                }
                current.append(least)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
