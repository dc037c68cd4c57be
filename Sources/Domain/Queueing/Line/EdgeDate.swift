/// The second of a joining or leaving, and the seconds in which it may have been.
///
/// All three are equal unless a gateway did not hear around the edge.
package struct EdgeDate: Hashable, Sendable {
    package let second: UnixSecond
    package let earliest: UnixSecond
    package let latest: UnixSecond

    /// - Parameter unknown: the latest seconds in which a gateway did not hear.
    package init(_ second: UnixSecond, unknown: Range<UnixSecond>? = nil) {
        self.second = second
        let isNear = unknown.map {
            $0.lowerBound - second <= Self.before && second - $0.upperBound <= Self.after
        }
        guard let unknown, isNear == true else {
            earliest = second
            latest = second
            return
        }
        earliest = min(second, unknown.lowerBound)
        latest = max(second, unknown.upperBound)
    }

    /// Whether it is known to the second.
    var isExact: Bool { earliest == latest }

    /// The end of a stay that goes on.
    static let never = EdgeDate(.never)

    /// An edge so close to an unknown stretch may have been inside it. Behind the stretch, the levels still have to
    /// sink from their last known values.
    private static let before = Duration.seconds(4)
    private static let after = Duration.seconds(12)
}
