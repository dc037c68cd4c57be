/// The second of a joining or leaving, and the seconds in which it may have been.
///
/// All three are equal unless a gateway did not hear around the edge.
package struct EdgeDate: Hashable, Sendable {
    /// Seconds since the epoch.
    package let second: Int64
    package let earliest: Int64
    package let latest: Int64

    package init(_ second: Int64, unknown: Range<Int64>? = nil) {
        self.second = second
        let isNear = unknown.map {
            $0.lowerBound - Self.before <= second && second <= $0.upperBound + Self.after
        }
        guard let unknown, isNear == true else {
            earliest = second
            latest = second
            return
        }
        earliest = min(second, unknown.lowerBound)
        latest = max(second, unknown.upperBound)
    }

    /// The end of a stay that goes on.
    static let never = EdgeDate(.max / 2000)

    /// An edge so close to an unknown stretch may have been inside it. Behind the stretch, the levels still have to
    /// sink from their last known values.
    private static let before: Int64 = 4
    private static let after: Int64 = 12
}
