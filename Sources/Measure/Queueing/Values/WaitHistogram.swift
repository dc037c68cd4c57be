import JSON

/// The waits of many visitors, in bins that grow by a tenth: a quantile is wrong by 5 % at most.
///
/// Two histograms add up to that of all their visitors (Masson, Rim, Lee: DDSketch, 2019).
package struct WaitHistogram: Equatable, Sendable {
    /// By bin, without zeros at the end.
    private(set) var counts: [Int64] = []
    /// The sum and the longest of the waits, in whole seconds as in the table; 0 without waits.
    private(set) var sum: Int64 = 0
    private(set) var longest: Int64 = 0

    private static let growth = 1.1
    /// The upper ends of the bins in seconds: 1.1 to the power of the bin. The last one is more than a day.
    static let ends = (0..<130).reduce(into: [Double]()) { ends, _ in
        ends.append(ends.last.map { $0 * growth } ?? 1)
    }

    package init() {}

    init(counts: [Int64], sum: Int64, longest: Int64) {
        self.counts = counts
        self.sum = sum
        self.longest = longest
    }

    package init(_ waits: some Sequence<Duration>) {
        for wait in waits { add(wait) }
    }

    package mutating func add(_ wait: Duration) {
        let wait = max(0, wait.wholeSeconds)
        let bin = Self.bin(of: wait)
        if counts.count <= bin { counts += Array(repeating: 0, count: bin + 1 - counts.count) }
        counts[bin] &+= 1
        sum &+= wait
        longest = max(longest, wait)
    }

    package mutating func merge(_ other: WaitHistogram) {
        if counts.count < other.counts.count {
            counts += Array(repeating: 0, count: other.counts.count - counts.count)
        }
        for (bin, count) in other.counts.enumerated() { counts[bin] &+= count }
        sum &+= other.sum
        longest = max(longest, other.longest)
    }

    package var count: Int64 { counts.reduce(0, &+) }
    package var mean: Duration? { count > 0 ? .milliseconds(sum &* 1000 / count) : nil }
    package var maximum: Duration? { count > 0 ? .seconds(longest) : nil }

    /// The least wait that `share` of the visitors did not exceed, by the middle of its bin.
    package func quantile(_ share: Double) -> Duration? {
        let count = count
        guard count > 0 else { return nil }
        let bin = bin(ofRank: max(1, Int64((share * Double(count)).rounded(.up))))
        let middle = Self.ends[bin] * 2 / (1 + Self.growth) * 1000
        return min(.milliseconds(Int64(middle.rounded())), .seconds(longest))
    }

    /// The bin of the wait with a rank, in ascending order from 1 on.
    func range(ofRank rank: Int) -> ClosedRange<Duration> {
        let bin = bin(ofRank: Int64(rank))
        let (low, high) = (bin > 0 ? Self.ends[bin - 1] : 0, Self.ends[bin])
        let end = min(Duration.seconds(Int64(high.rounded(.up))), .seconds(longest))
        return min(.seconds(Int64(low)), end)...end
    }

    private func bin(ofRank rank: Int64) -> Int {
        var rest = rank
        for (bin, inside) in counts.enumerated() {
            if rest <= inside { return bin }
            rest -= inside
        }
        return max(0, counts.count - 1)
    }

    private static func bin(of wait: Int64) -> Int {
        ends.dropLast().partitioningIndex { $0 >= Double(wait) }
    }
}

extension WaitHistogram {
    /// What a table stores: `bins` has pairs of a bin and its count.
    var stored: JSON {
        [
            "sum": .integer(sum), "longest": .integer(longest),
            "bins": .pairs(counts.enumerated().map { ($0, $1) }),
        ]
    }

    init(_ reader: inout ObjectReader) {
        var counts: [Int64] = []
        for (bin, count) in reader.pairs("bins", below: Self.ends.count) {
            if counts.count <= bin { counts += Array(repeating: 0, count: bin + 1 - counts.count) }
            counts[bin] = count
        }
        self.init(
            counts: counts, sum: reader.integer("sum", in: 0...Int64.max / 1000),
            longest: reader.integer("longest", in: 0...Int64.max / 1000))
    }
}
