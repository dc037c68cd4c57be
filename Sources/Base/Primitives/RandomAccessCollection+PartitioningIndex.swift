extension RandomAccessCollection {
    /// The index of the first element that belongs in the second part, by binary search; `endIndex` if there is none.
    ///
    /// - Parameter belongsInSecondPart: false for all elements of the first part, then true for all others.
    @inlinable
    package func partitioningIndex(where belongsInSecondPart: (Element) -> Bool) -> Index {
        var low = startIndex
        var count = count
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if belongsInSecondPart(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
