/// The waits of the visitors who were served in a period.
package struct WaitStatistics: Equatable, Sendable {
    /// In ascending order.
    let seconds: [Int64]

    init(_ waits: [Int64]) { seconds = waits.sorted() }

    package var count: Int { seconds.count }
    package var meanMs: Int64? {
        seconds.isEmpty ? nil : seconds.reduce(0, +) * 1000 / Int64(seconds.count)
    }
    package var medianMs: Int64? { quantileMs(0.5) }
    package var p90Ms: Int64? { quantileMs(0.9) }
    package var maxMs: Int64? { seconds.last.map { $0 * 1000 } }

    /// The least wait that `share` of the visitors did not exceed.
    private func quantileMs(_ share: Double) -> Int64? {
        guard !seconds.isEmpty else { return nil }
        let rank = Int((share * Double(seconds.count)).rounded(.up))
        return seconds[min(max(1, rank), seconds.count) - 1] * 1000
    }
}
