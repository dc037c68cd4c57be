/// The line in a period.
package struct LineStatistics: Equatable, Sendable {
    let sums: LineSums
    var atEnd: TagsInLine
    package let waits: WaitStatistics

    /// The mean over the seconds that are known; `nil` without any.
    package var meanLength: Double? { sums.meanLength }
    /// Tags in line at the end.
    package var lengthAtEnd: Int { atEnd.count }
    package var joined: Int64 { sums.joined }
    package var abandoned: Int64 { sums.abandoned }
    package var served: Int64 { sums.served }
    var isEmpty: Bool { sums.longest == 0 && lengthAtEnd == 0 }
}

/// The sums of the line's length, and of those who joined, were served and gave up.
struct LineSums: Equatable, Sendable {
    /// The integral of the length over the known seconds, and the number of these seconds: its mean is the quotient.
    var personSeconds: Int64 = 0
    var seconds: Int64 = 0
    /// The most tags in line.
    var longest: Int64 = 0
    var joined: Int64 = 0
    /// With or without a wait that is known.
    var served: Int64 = 0
    var abandoned: Int64 = 0

    var meanLength: Double? { seconds > 0 ? Double(personSeconds) / Double(seconds) : nil }

    mutating func merge(_ other: LineSums) {
        personSeconds &+= other.personSeconds
        seconds &+= other.seconds
        longest = max(longest, other.longest)
        joined &+= other.joined
        served &+= other.served
        abandoned &+= other.abandoned
    }
}

/// The waits of the visitors who were served in a period.
package struct WaitStatistics: Equatable, Sendable {
    /// In ascending order.
    let sorted: [Duration]

    init(_ waits: [Duration]) { sorted = waits.sorted() }

    package var count: Int { sorted.count }
    package var mean: Duration? {
        sorted.isEmpty ? nil : sorted.reduce(.zero, +) / sorted.count
    }
    package var median: Duration? { quantile(0.5) }
    package var p90: Duration? { quantile(0.9) }
    package var longest: Duration? { sorted.last }

    /// The least wait that `share` of the visitors did not exceed.
    private func quantile(_ share: Double) -> Duration? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(max(1, rank), sorted.count) - 1]
    }
}
