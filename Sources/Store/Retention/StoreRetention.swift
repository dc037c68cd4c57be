/// How long the store keeps rows, and how large its file may be.
///
/// Facts and visits have a fixed limit: 24 hours, or the running day if that has 25.
package struct StoreRetention: Equatable, Sendable {
    package var minutes: Duration
    package var hours: Duration
    package var days: Duration
    /// The size of the file in bytes. Above it, the oldest minutes are removed first.
    package var maxBytes: Int

    package init(
        minutes: Duration = .seconds(400 * 86_400), hours: Duration = .seconds(1200 * 86_400),
        days: Duration = .seconds(4000 * 86_400), maxBytes: Int = 4 << 30
    ) {
        self.minutes = minutes
        self.hours = hours
        self.days = days
        self.maxBytes = maxBytes
    }

    /// Facts and visits are kept for so many milliseconds.
    static let evidence: Int64 = 86_400_000
    /// Minutes and hours of this time are never removed: days are computed from them.
    static let least: Int64 = 2 * 86_400_000
}
