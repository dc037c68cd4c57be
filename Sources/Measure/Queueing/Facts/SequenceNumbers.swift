import Primitives

/// A set of sequence numbers, as disjoint ranges in ascending order.
struct SequenceNumbers {
    private var ranges: [ClosedRange<UInt64>] = []

    /// The index of the first range that ends at `number` or above it.
    private func index(of number: UInt64) -> Int {
        ranges.partitioningIndex { $0.upperBound >= number }
    }

    func contains(_ numbers: ClosedRange<UInt64>) -> Bool {
        let index = index(of: numbers.lowerBound)
        guard index < ranges.count else { return false }
        return ranges[index].lowerBound <= numbers.lowerBound
            && ranges[index].upperBound >= numbers.upperBound
    }

    mutating func insert(_ numbers: ClosedRange<UInt64>) {
        // Adjacent ranges become one.
        let first = index(of: numbers.lowerBound == 0 ? 0 : numbers.lowerBound - 1)
        var last = first
        var union = numbers
        while last < ranges.count,
            numbers.upperBound == .max || ranges[last].lowerBound <= numbers.upperBound + 1
        {
            union =
                min(
                    union.lowerBound, ranges[last].lowerBound)...max(
                    union.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: CollectionOfOne(union))
    }

    /// The ranges that have a number of this one.
    private func overlapping(_ numbers: ClosedRange<UInt64>) -> ArraySlice<ClosedRange<UInt64>> {
        ranges[index(of: numbers.lowerBound)...].prefix { $0.lowerBound <= numbers.upperBound }
    }

    /// The set without the ranges that have no number of this one.
    func part(in numbers: ClosedRange<UInt64>) -> SequenceNumbers {
        var part = SequenceNumbers()
        part.ranges = Array(overlapping(numbers))
        return part
    }

    /// How many numbers of the range are not in the set.
    func missing(in numbers: ClosedRange<UInt64>) -> UInt64 {
        // A range of all numbers has one more than fits.
        var missing = numbers.upperBound - numbers.lowerBound
        var isWhole = true
        for range in overlapping(numbers) {
            let part = range.clamped(to: numbers)
            let count = part.upperBound - part.lowerBound
            if isWhole {
                isWhole = false
                missing -= count
            } else {
                missing -= count + 1
            }
        }
        return isWhole && missing < .max ? missing + 1 : missing
    }
}
