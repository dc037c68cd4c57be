/// The waits of the visitors who were served in a period.
package struct WaitStatistics: Equatable, Sendable {
    /// Seconds, in ascending order.
    private let waits: [Int64]

    init(_ waits: [Int64]) { self.waits = waits.sorted() }

    package var count: Int { waits.count }
    package var meanMs: Int64? {
        waits.isEmpty ? nil : waits.reduce(0, +) * 1000 / Int64(waits.count)
    }
    package var medianMs: Int64? { quantileMs(0.5) }
    package var p90Ms: Int64? { quantileMs(0.9) }
    package var maxMs: Int64? { waits.last.map { $0 * 1000 } }

    /// The least wait that `share` of the visitors did not exceed.
    private func quantileMs(_ share: Double) -> Int64? {
        guard !waits.isEmpty else { return nil }
        let rank = Int((share * Double(waits.count)).rounded(.up))
        return waits[min(max(1, rank), waits.count) - 1] * 1000
    }
}
