import Sightings

/// What has been given up and is not declared yet, and what became of batches so far.
struct Ledger {
    /// By session, since a session can only speak for itself.
    var losses: [String: Loss] = [:]
    var counters = OutboxCounters()
    /// Rows that were given up in the latest transaction, or since.
    var givenUp: [(session: String, numbers: ClosedRange<UInt64>)] = []

    mutating func lose(_ numbers: ClosedRange<UInt64>, of session: String, _ reason: Loss.Reason) {
        let more = (numbers.upperBound - numbers.lowerBound).addingReportingOverflow(1)
        let loss = Loss(
            batches: more.overflow ? .max : more.partialValue, fromSeq: numbers.lowerBound,
            toSeq: numbers.upperBound, reason: reason)
        merge(loss, of: session)
    }

    mutating func merge(_ loss: Loss?, of session: String) { losses[session].merge(loss) }

    /// Takes the loss that a message with these numbers may declare: one of what came before it.
    mutating func take(before numbers: ClosedRange<UInt64>, of session: String) -> Loss? {
        guard let loss = losses[session], loss.toSeq < numbers.lowerBound else { return nil }
        losses[session] = nil
        return loss
    }
}
