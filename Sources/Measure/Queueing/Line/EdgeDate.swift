import Facts

/// The second of a joining or leaving, and the seconds in which it may have been.
///
/// All three are equal unless a role did not hear around the edge.
package struct EdgeDate: Hashable, Sendable {
    package let second: UnixSecond
    package let earliest: UnixSecond
    package private(set) var latest: UnixSecond

    /// - Parameter unknown: stretches of seconds in which a role did not hear, the last one last.
    package init(_ second: UnixSecond, unknown: [Range<UnixSecond>] = []) {
        self.second = second
        let near = unknown.filter {
            $0.lowerBound - second <= Self.before && second - $0.upperBound <= Self.after
        }
        earliest = min(second, near.first?.lowerBound ?? second)
        latest = max(second, near.last?.upperBound ?? second)
    }

    /// Follows a stretch that has become longer by its last second, if the edge may be in it.
    mutating func widen(with unknown: Range<UnixSecond>) {
        let before = unknown.upperBound.advanced(by: -1)
        if latest == before, before > unknown.lowerBound { latest = unknown.upperBound }
    }

    /// Whether it is known to the second.
    var isExact: Bool { earliest == latest }

    /// The end of a stay that goes on.
    static let never = EdgeDate(.never)

    /// An edge so close to an unknown stretch may have been inside it. Behind the stretch, the levels still have to
    /// sink from their last known values. Chosen.
    private static let before = Duration.seconds(4)
    static let after = Duration.seconds(12)
}
