import Primitives

/// Whether reports came steadily, so that a sudden silence is suspicious.
struct BusyPeriod: Sendable {
    /// A longer pause between two reports begins a new period.
    static let longestPause: Duration = .seconds(5)
    /// A shorter period may be one passer-by.
    static let shortest: Duration = .seconds(5)

    private var begun: Instant?
    private var latest: Instant?

    /// - Parameter report: the time of the latest report.
    @inline(__always)
    mutating func record(_ report: Instant?) {
        guard let report, report != latest else { return }
        if latest.map({ $0 + Self.longestPause < report }) ?? true { begun = report }
        latest = report
    }

    /// - Parameter start: the earliest start of the period.
    func lasts(_ duration: Duration = shortest, since start: Instant? = nil) -> Bool {
        guard let begun, let latest else { return false }
        return begun + duration <= latest && start.map { $0 < begun } ?? true
    }
}
