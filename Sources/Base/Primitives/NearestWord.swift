/// Spelling suggestions: the known word that is nearest to an unknown one.
package enum NearestWord {
    /// The word that a typing slip could have turned into `word`; `nil` when none is near.
    ///
    /// Near is a third of the word's letters at most (the optimal string alignment distance, case ignored).
    package static func to(_ word: String, among candidates: [String]) -> String? {
        // A longer word is no misspelling, and the cost of the distance grows with the square of
        // the length.
        guard word.utf8.count <= 64 else { return nil }
        let letters = Array(word.lowercased())
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(letters, Array(candidate.lowercased()))
            guard distance <= max(1, max(letters.count, candidate.count) / 3) else { continue }
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
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
