import Sightings

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
