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
