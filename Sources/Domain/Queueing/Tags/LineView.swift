/// The line at one moment, by the knowledge of that moment: it may still change.
package struct LineView: Equatable, Sendable {
    struct Served: Equatable, Sendable {
        let entered: Int64
        let left: Int64

        var wait: Int64 { left - entered }
    }

    /// Seconds since the epoch.
    package let second: Int64
    /// When each tag that is in line joined it, the first one first.
    package internal(set) var entered: [Int64] = []
    /// The expected number of tags in line: also of those that are not yet recognised.
    package internal(set) var expectedLength = 0.0
    /// Visits that are over, but not final.
    var served: [Served] = []

    init(second: Int64) { self.second = second }

    /// Tags in line.
    package var length: Int { entered.count }
}
