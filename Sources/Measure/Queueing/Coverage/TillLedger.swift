import Facts
import Primitives

/// The receipts of one till, and the tags that were recognised there. All lists are in ascending order.
struct TillLedger {
    private var receipts: [(second: UnixSecond, count: Int64)] = []
    /// The seconds in which recognised tags left.
    private var leavers: [UnixSecond] = []
    /// The times in which the gateways could not recognise a person here.
    private var unknown: [Range<UnixSecond>] = []

    /// Receipts, leavers and unknown times of a day. More are passed over.
    private static let most = 20_000

    /// Of different counts of one second, the largest one counts.
    ///
    /// - Returns: whether it is new.
    mutating func take(_ count: Int64, at second: UnixSecond) -> Bool {
        let index = receipts.partitioningIndex { $0.second >= second }
        if index < receipts.count, receipts[index].second == second {
            guard count > receipts[index].count else { return false }
            receipts[index].count = count
            return true
        }
        guard receipts.count < Self.most else { return false }
        receipts.insert((second, count), at: index)
        return true
    }

    mutating func add(leaver second: UnixSecond) {
        guard leavers.count < Self.most else { return }
        leavers.insert(second, at: leavers.partitioningIndex { $0 > second })
    }

    /// Adds a time behind those before.
    mutating func add(unknown seconds: Range<UnixSecond>) {
        if let last = unknown.last, last.upperBound == seconds.lowerBound {
            unknown[unknown.count - 1] = last.lowerBound..<seconds.upperBound
        } else if unknown.count < Self.most {
            unknown.append(seconds)
        }
    }

    /// The people of the receipts until `end` in known times, and the recognised tags among them.
    ///
    /// The present needs it each second: one pass over the lists.
    func totals(through end: UnixSecond) -> (people: Int64, tags: Int64) {
        var (people, tags) = (Int64(0), Int64(0))
        var (leaver, fault) = (0, 0)
        // The first receipt counts from an unknown time.
        for (before, receipt) in zip(receipts, receipts.dropFirst()) {
            guard receipt.second <= end else { break }
            let span = before.second..<receipt.second
            leavers.advance(&leaver) { $0 < span.lowerBound }
            let first = leaver
            leavers.advance(&leaver) { $0 < span.upperBound }
            unknown.advance(&fault) { $0.upperBound <= span.lowerBound }
            guard fault == unknown.count || !unknown[fault].overlaps(span) else { continue }
            people += receipt.count
            tags += Int64(leaver - first)
        }
        return (people, tags)
    }
}

extension Array {
    /// Moves an index behind the elements that fulfil the condition.
    fileprivate func advance(_ index: inout Int, while condition: (Element) -> Bool) {
        while index < count, condition(self[index]) { index += 1 }
    }
}
