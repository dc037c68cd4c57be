/// Finds the places of rows in a table of which some can't be read, from both ends and from the middle of what lies between.
enum RowSearch {
    /// Places behind `start`, or before it, in that direction, and whether nothing hindered the reading of all of them.
    typealias Scan = (_ start: Int64, _ isDescending: Bool, _ limit: Int) -> (
        answers: [Int64], isWhole: Bool
    )

    /// More rows than a week has seconds.
    private static let mostRows = 1 << 20
    /// Each damaged page costs some scans for every row that it had.
    private static let mostScans = 4096
    /// Where nobody knows how many places were given, so many more are looked for.
    private static let reach: Int64 = 1 << 16
    private static let mostBelievable: Int64 = 1 << 53

    /// What lies between two places, both excluded.
    private struct Gap {
        var low: Int64
        var high: Int64
        var isWorthLooking: Bool { low < high && high - low > 1 }
    }

    /// The places found, in order.
    ///
    /// - Parameter highest: the highest place that was given, if that is known.
    static func ids(highest: Int64?, scan: Scan) -> [Int64] {
        let (all, isWhole) = scan(0, false, mostRows)
        var found = Set(all)
        guard !isWhole else { return found.sorted() }
        // A damaged place may be any number.
        let limit = highest.flatMap { (1...mostBelievable).contains($0) ? $0 : nil }
        let believable = all.filter { $0 <= limit ?? mostBelievable }
        let last = believable.last ?? 0
        var gaps = [Gap(low: last, high: (limit ?? last + reach) + 1)]
        var next = 0
        var scans = 0
        // Wide gaps first: what is given up at last is little.
        while next < gaps.count, scans < mostScans, found.count < mostRows {
            var gap = gaps[next]
            next += 1
            scans += 2
            let up = scan(gap.low, false, mostRows)
            let ascending = up.answers.prefix { $0 < gap.high }
            found.formUnion(ascending)
            if up.isWhole || ascending.count < up.answers.count { continue }
            gap.low = ascending.last ?? gap.low
            let down = scan(gap.high, true, mostRows)
            let descending = down.answers.prefix { $0 > gap.low }
            found.formUnion(descending)
            gap.high = descending.last ?? gap.high
            guard gap.isWorthLooking else { continue }
            let middle = gap.low + (gap.high - gap.low) / 2
            for half in [Gap(low: gap.low, high: middle), Gap(low: middle - 1, high: gap.high)]
            where half.isWorthLooking && (half.low, half.high) != (gap.low, gap.high) {
                gaps.append(half)
            }
        }
        return found.sorted()
    }
}
