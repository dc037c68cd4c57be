import Primitives
import Sightings

/// The sessions of a gateway, within a bound.
///
/// A session of which all windows are folded goes first: a repetition of them is late, and changes nothing. Where that is
/// not enough, a message of a further session is not taken.
struct SessionLedgers {
    private struct Entry {
        var ledger = SessionLedger()
        /// The end of its newest window.
        var newest = UnixTime.min
    }

    private var entries: [String: Entry] = [:]
    /// The end of the folded time at the last removal.
    private var cleanedThrough: UnixTime?

    /// A gateway that restarts every five seconds has fewer in a day. A server that has restarted reads a whole day.
    static let most = 20_000

    subscript(session: String) -> SessionLedger? { entries[session]?.ledger }

    /// The same name in the memory of its first window.
    func name(_ session: String) -> String {
        entries.index(forKey: session).map { entries.keys[$0] } ?? session
    }

    /// Whether the message was taken before.
    func contains(_ window: WindowFact) -> Bool {
        entries[window.session]?.ledger.contains(window) ?? false
    }

    /// Takes a new message.
    ///
    /// - Parameter foldedThrough: windows that end by then are folded.
    /// - Returns: `false` if it is of one session too many.
    mutating func take(_ window: WindowFact, foldedThrough: UnixTime) -> Bool {
        if entries[window.session] == nil, entries.count >= Self.most {
            // Nothing else can have become folded since then.
            if cleanedThrough != foldedThrough {
                cleanedThrough = foldedThrough
                entries = entries.filter { $0.value.newest > foldedThrough }
            }
            guard entries.count < Self.most else { return false }
        }
        let end = window.span.upperBound
        entries[window.session, default: Entry()].newest =
            max(entries[window.session]?.newest ?? end, end)
        entries[window.session, default: Entry()].ledger.take(window)
        return true
    }
}

/// The numbers of one session of a gateway: which messages arrived, and which ones the gateway declared as lost.
///
/// It is a pure function of the set of messages: their order and repetitions change nothing.
struct SessionLedger {
    private var messages = SequenceNumbers()
    private var received = SequenceNumbers()
    private var losses: [Loss] = []

    func contains(_ window: WindowFact) -> Bool {
        messages.contains(window.number...window.number)
    }

    mutating func take(_ window: WindowFact) {
        messages.insert(window.number...window.number)
        received.insert(window.numbers)
        if let loss = window.lost, loss.fromSeq <= loss.toSeq { losses.append(loss) }
    }

    /// Whether each number arrived or was declared as lost.
    ///
    /// A loss declares how many numbers of a range are lost, and not which ones. It is certain once no more than
    /// these are missing.
    func accounts(for gap: ClosedRange<UInt64>) -> Bool {
        var accounted = received.part(in: gap)
        for loss in losses {
            let range = loss.fromSeq...loss.toSeq
            guard range.overlaps(gap) else { continue }
            if received.missing(in: range) <= loss.batches { accounted.insert(range) }
        }
        return accounted.contains(gap)
    }
}

/// A set of sequence numbers, as disjoint ranges in ascending order.
struct SequenceNumbers {
    private var ranges: [ClosedRange<UInt64>] = []

    /// The index of the first range that ends at `number` or above it.
    private func index(of number: UInt64) -> Int {
        ranges.partitioningIndex { $0.upperBound >= number }
    }

    func contains(_ numbers: ClosedRange<UInt64>) -> Bool {
        let index = index(of: numbers.lowerBound)
        guard index < ranges.count else { return false }
        return ranges[index].lowerBound <= numbers.lowerBound
            && ranges[index].upperBound >= numbers.upperBound
    }

    mutating func insert(_ numbers: ClosedRange<UInt64>) {
        // Adjacent ranges become one.
        let first = index(of: numbers.lowerBound == 0 ? 0 : numbers.lowerBound - 1)
        var last = first
        var union = numbers
        while last < ranges.count,
            numbers.upperBound == .max || ranges[last].lowerBound <= numbers.upperBound + 1
        {
            union =
                min(
                    union.lowerBound, ranges[last].lowerBound)...max(
                    union.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: CollectionOfOne(union))
    }

    /// The ranges that have a number of this one.
    private func overlapping(_ numbers: ClosedRange<UInt64>) -> ArraySlice<ClosedRange<UInt64>> {
        ranges[index(of: numbers.lowerBound)...].prefix { $0.lowerBound <= numbers.upperBound }
    }

    /// The set without the ranges that have no number of this one.
    func part(in numbers: ClosedRange<UInt64>) -> SequenceNumbers {
        var part = SequenceNumbers()
        part.ranges = Array(overlapping(numbers))
        return part
    }

    /// How many numbers of the range are not in the set.
    func missing(in numbers: ClosedRange<UInt64>) -> UInt64 {
        // A range of all numbers has one more than fits.
        var missing = numbers.upperBound - numbers.lowerBound
        var isWhole = true
        for range in overlapping(numbers) {
            let part = range.clamped(to: numbers)
            let count = part.upperBound - part.lowerBound
            if isWhole {
                isWhole = false
                missing -= count
            } else {
                missing -= count + 1
            }
        }
        return isWhole && missing < .max ? missing + 1 : missing
    }
}
