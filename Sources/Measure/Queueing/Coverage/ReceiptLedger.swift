import Facts

/// The receipts of a queue's tills, and the tags that were recognised there.
///
/// It is a set: the order and repetitions of receipts change nothing.
struct ReceiptLedger {
    private var tills: [TillLedger]

    /// A visit is final so long after its end: the decoder needs two minutes at most, apart from tags that stay near, and
    /// `LineOrder` judges it within ten minutes.
    private static let delay = LineOrder.longest + .seconds(120)

    init(tills: Int) { self.tills = Array(repeating: TillLedger(), count: tills) }

    /// Of different counts of one second, the largest one counts.
    ///
    /// - Returns: whether it is new.
    mutating func take(_ count: Int64, till: Int, at second: UnixSecond) -> Bool {
        tills[till].take(count, at: second)
    }

    mutating func add(_ visit: Visit) {
        guard visit.end == .served, let till = visit.till, tills.indices.contains(till) else {
            return
        }
        add(leaver: visit.left.second, till: till)
    }

    mutating func add(leaver second: UnixSecond, till: Int) { tills[till].add(leaver: second) }

    /// Adds a time in which the gateways can't recognise a person at some of the tills.
    ///
    /// - Parameter isUnknown: of a till.
    mutating func add(unknown seconds: Range<UnixSecond>, where isUnknown: (Int) -> Bool) {
        for till in tills.indices where isUnknown(till) { tills[till].add(unknown: seconds) }
    }

    /// The people that the tills counted in known times, and the recognised tags among them.
    func totals(before second: UnixSecond) -> (people: Int64, tags: Int64) {
        tills.reduce((0, 0)) { sum, till in
            let (people, tags) = till.totals(through: second - Self.delay)
            return (sum.0 + people, sum.1 + tags)
        }
    }
}
