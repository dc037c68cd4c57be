/// The receipts of a queue's tills, and the tags that were recognised there.
///
/// It is a set: the order and repetitions of receipts change nothing.
struct ReceiptLedger {
    /// By till: the count of each receipt by its second.
    private var receipts: [[UnixSecond: Int64]]
    /// By till: the seconds in which recognised tags left.
    private var leavers: [[UnixSecond]]
    /// The times in which the gateways could not recognise a person.
    private var unknown: [Range<UnixSecond>] = []

    /// Receipts, leavers and unknown times of a day. More are passed over.
    private static let most = 20_000
    /// A visit is final so long after its end: the decoder needs two minutes at most, apart from tags that stay near, and
    /// `LineOrder` judges it within ten minutes.
    private static let delay = LineOrder.longest + .seconds(120)

    init(tills: Int) {
        receipts = Array(repeating: [:], count: tills)
        leavers = Array(repeating: [], count: tills)
    }

    /// Of different counts of one second, the largest one counts.
    ///
    /// - Returns: whether it is new.
    mutating func take(_ count: Int64, till: Int, at second: UnixSecond) -> Bool {
        if let known = receipts[till][second] {
            guard count > known else { return false }
        } else if receipts[till].count >= Self.most {
            return false
        }
        receipts[till][second] = count
        return true
    }

    mutating func add(_ visit: Visit) {
        guard visit.end == .served, let till = visit.till, leavers.indices.contains(till),
            leavers[till].count < Self.most
        else { return }
        leavers[till].append(visit.left.second)
    }

    mutating func add(unknown seconds: Range<UnixSecond>) {
        if let last = unknown.last, last.upperBound == seconds.lowerBound {
            unknown[unknown.count - 1] = last.lowerBound..<seconds.upperBound
        } else if unknown.count < Self.most {
            unknown.append(seconds)
        }
    }

    /// The people that the tills counted in known times, and the recognised tags among them.
    func totals(before second: UnixSecond) -> (people: Int64, tags: Int64) {
        var people: Int64 = 0
        var tags: Int64 = 0
        for till in receipts.indices {
            let counts = receipts[till].sorted { $0.key < $1.key }
            // The first receipt counts from an unknown time.
            for (before, count) in zip(counts, counts.dropFirst()) {
                let span = before.key..<count.key
                guard count.key <= second - Self.delay, !unknown.contains(where: span.overlaps)
                else { continue }
                people += count.value
                tags += Int64(leavers[till].count { span.contains($0) })
            }
        }
        return (people, tags)
    }
}
