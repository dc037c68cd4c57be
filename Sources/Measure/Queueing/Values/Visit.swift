import Facts

/// One visit of a queue. It is final: later messages do not change it.
package struct Visit: Equatable, Sendable {
    /// How the visit ended.
    package enum End: String, CaseIterable, Sendable {
        case served
        /// The person left the line without the till.
        case abandoned
        /// The person was still in line when the gateways fell silent for ten minutes, or when the messages ended.
        case unknown
    }

    package let queue: String
    package let tag: Tag
    package let entered: EdgeDate
    package let left: EdgeDate
    package let end: End
    /// The log-odds that the stay is a visit of this queue, against none and one of another queue.
    package let logOdds: Double
    /// The till that served, among those of the queue; `nil` where it is not known.
    package let till: TillIndex?
    /// Whether the tag stayed at the till without its person: `left` follows from those who were served before and after.
    let isTagLeft: Bool

    package init(
        queue: String, tag: Tag, entered: EdgeDate, left: EdgeDate, end: End, logOdds: Double,
        till: TillIndex? = nil, isTagLeft: Bool = false
    ) {
        self.queue = queue
        self.tag = tag
        self.entered = entered
        self.left = left
        self.end = end
        self.logOdds = logOdds
        self.till = till
        self.isTagLeft = isTagLeft
    }

    init(queue: String, tag: Tag, _ stay: LineStay) {
        self.init(
            queue: queue, tag: tag, entered: stay.entered, left: stay.left,
            end: stay.end, logOdds: stay.logOddsAmongLines, till: stay.till,
            isTagLeft: stay.isTagLeft)
    }

    /// Whether it is more probably a visit than not.
    var isProbable: Bool { logOdds > 0 }

    /// That it is a visit.
    var probability: Double { Double(probabilityWithLogOdds: logOdds) }

    /// From joining to leaving.
    package var wait: Duration { left.second - entered.second }

    /// Whether both dates are known to the second. Where a gateway did not hear around an edge, its date is an interval.
    package var isExact: Bool { entered.isExact && left.isExact }

    /// Whether its wait is one of a person who was served, known to the second.
    var isMeasured: Bool { end == .served && isExact }
}
