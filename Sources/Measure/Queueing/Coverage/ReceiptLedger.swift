import Contract
import Facts
import JSON
import Primitives

/// A till's own count: how many people it served since its last message.
///
/// The till is named as its gateway is.
package struct Receipt: Equatable, Sendable {
    package let till: String
    package let count: Int64
    package let at: UnixSecond

    package var time: UnixTime { at.start }

    private static let mostPeople: Int64 = 10_000

    package init(till: String, count: Int64, at: UnixSecond) {
        self.till = till
        self.count = count
        self.at = at
    }

    /// Reads a message of the topic `served`; throws all faults.
    package init(parsing bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: 4096, unknownKeys: .areIgnored
        ) { reader in
            _ = reader.integer("v", in: 1...1)
            return Receipt(
                till: reader.string("till"),
                count: reader.integer("count", in: 0...Self.mostPeople),
                at: UnixSecond(
                    containing: UnixTime(
                        milliseconds: reader.integer(
                            "at", in: 0...UnixTime.endOf9999.milliseconds))))
        }
    }
}

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
    mutating func take(_ count: Int64, till: TillIndex, at second: UnixSecond) -> Bool {
        tills[till].take(count, at: second)
    }

    mutating func add(_ visit: Visit) {
        guard visit.end == .served, let till = visit.till, TillIndex.all(of: tills).contains(till)
        else {
            return
        }
        add(leaver: visit.left.second, till: till)
    }

    mutating func add(leaver second: UnixSecond, till: TillIndex) {
        tills[till].add(leaver: second)
    }

    /// Adds a time in which the gateways can't recognise a person at some of the tills.
    ///
    /// - Parameter isUnknown: of a till.
    mutating func add(unknown seconds: Range<UnixSecond>, where isUnknown: (TillIndex) -> Bool) {
        for till in TillIndex.all(of: tills) where isUnknown(till) {
            tills[till].add(unknown: seconds)
        }
    }

    /// The people that the tills counted in known times, and the recognised tags among them.
    func totals(before second: UnixSecond) -> (people: Int64, tags: Int64) {
        tills.reduce((0, 0)) { sum, till in
            let (people, tags) = till.totals(through: second - Self.delay)
            return (sum.0 + people, sum.1 + tags)
        }
    }
}

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
