/// One visit of a queue. It is final: later messages do not change it.
package struct Visit: Equatable, Sendable {
    /// How the visit ended.
    package enum End: String, Sendable {
        case served
        /// The person left the line without the till.
        case abandoned
    }

    package let queue: String
    package let tag: Tag
    package let entered: EdgeDate
    package let left: EdgeDate
    package let end: End
    /// The log-odds that the visit adds to the best explanation without it.
    package let gain: Double

    /// Seconds from joining to leaving.
    package var wait: Int64 { left.second - entered.second }

    /// Whether a gateway did not hear around an edge, so that its date is an interval.
    package var isExact: Bool { entered.earliest == entered.latest && left.earliest == left.latest }
}
