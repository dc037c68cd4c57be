import Sightings

/// Losses that no message has declared yet, the numbers that a damaged file would lose, and the counters.
struct LossLedger {
    let session: String
    /// By session: a message declares losses of its own session only.
    private(set) var losses: [String: Loss] = [:]
    /// The numbers of this session that the file has, and that were not acknowledged.
    private(set) var storedNumbers = RangeSet<UInt64>()
    var counters = OutboxCounters()

    init(session: String) { self.session = session }

    mutating func lose(_ numbers: ClosedRange<UInt64>, of session: String, _ reason: Loss.Reason) {
        merge(Loss(of: numbers, reason), of: session)
        removed(numbers, of: session)
    }

    mutating func merge(_ loss: Loss?, of session: String) { losses[session].merge(loss) }

    /// Removes the loss of a session that a message with these numbers can declare: it must precede them.
    mutating func take(before numbers: ClosedRange<UInt64>, of session: String) -> Loss? {
        guard let loss = losses[session], loss.toSeq < numbers.lowerBound else { return nil }
        return take(of: session)
    }

    mutating func take(of session: String) -> Loss? { losses.removeValue(forKey: session) }

    /// The file has got a batch with these numbers.
    mutating func stored(_ numbers: ClosedRange<UInt64>, of session: String) {
        counters.stored &+= 1
        if session == self.session { storedNumbers.insert(numbers) }
    }

    /// The numbers were acknowledged or lost.
    mutating func removed(_ numbers: ClosedRange<UInt64>, of session: String) {
        if session == self.session { storedNumbers.remove(numbers) }
    }

    /// The file has only these numbers now.
    mutating func replacedStore(with numbers: RangeSet<UInt64> = RangeSet()) {
        storedNumbers = numbers
    }
}

extension Loss {
    /// The loss of all these numbers.
    init(of numbers: ClosedRange<UInt64>, _ reason: Reason) {
        let more = (numbers.upperBound - numbers.lowerBound).addingReportingOverflow(1)
        self.init(
            batches: more.overflow ? .max : more.partialValue, fromSeq: numbers.lowerBound,
            toSeq: numbers.upperBound, reason: reason)
    }
}

extension RangeSet<UInt64> {
    mutating func insert(_ numbers: ClosedRange<UInt64>) {
        guard numbers.upperBound < .max else { return }
        insert(contentsOf: numbers.lowerBound..<numbers.upperBound + 1)
    }

    mutating func remove(_ numbers: ClosedRange<UInt64>) {
        guard numbers.upperBound < .max else { return }
        remove(contentsOf: numbers.lowerBound..<numbers.upperBound + 1)
    }

    func overlaps(_ numbers: ClosedRange<UInt64>) -> Bool {
        guard numbers.upperBound < .max else { return true }
        return !intersection(RangeSet(numbers.lowerBound..<numbers.upperBound + 1)).isEmpty
    }

    /// The loss of all these numbers.
    func loss(_ reason: Loss.Reason) -> Loss? {
        guard let from = ranges.first?.lowerBound, let end = ranges.last?.upperBound else {
            return nil
        }
        let count = ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        return Loss(batches: count, fromSeq: from, toSeq: end - 1, reason: reason)
    }
}
