/// Batches of this session that were lost before a message: no subscriber receives them.
///
/// `batches` of the numbers `fromSeq`…`toSeq` are lost; the others in between were sent before.
package struct Loss: Equatable, Sendable {
    /// Why batches were lost. A merged loss keeps the most urgent reason.
    package struct Reason: RawRepresentable, Hashable, Comparable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The batch was older than the outbox keeps batches.
        package static let tooOld = Reason(rawValue: "too-old")
        /// The outbox was full, and discarded the oldest batches.
        package static let outboxFull = Reason(rawValue: "outbox-full")
        /// The agent was too slow to put the batch into the outbox.
        package static let mailboxFull = Reason(rawValue: "mailbox-full")
        /// The stored batch is unreadable.
        package static let damaged = Reason(rawValue: "outbox-damaged")
        /// The broker refuses the batch, and would refuse it again.
        package static let refused = Reason(rawValue: "refused")

        /// In the order of urgency, the most urgent last. A newer agent may have others.
        private static let byUrgency = [tooOld, outboxFull, mailboxFull, damaged, refused]

        package static func < (left: Reason, right: Reason) -> Bool { left.urgency < right.urgency }

        private var urgency: Int { Self.byUrgency.firstIndex(of: self) ?? Self.byUrgency.count }
    }

    package var batches: UInt64
    package var fromSeq: UInt64
    package var toSeq: UInt64
    package var reason: Reason

    package init(batches: UInt64, fromSeq: UInt64, toSeq: UInt64, reason: Reason) {
        self.batches = batches
        self.fromSeq = fromSeq
        self.toSeq = toSeq
        self.reason = reason
    }

    /// Adds another loss: one message has room for one.
    package mutating func merge(_ other: Loss) {
        let (sum, overflow) = batches.addingReportingOverflow(other.batches)
        batches = overflow ? .max : sum
        fromSeq = min(fromSeq, other.fromSeq)
        toSeq = max(toSeq, other.toSeq)
        reason = max(reason, other.reason)
    }
}

extension Loss? {
    /// Adds another loss, or none.
    package mutating func merge(_ other: Loss?) {
        guard let other else { return }
        if self == nil { self = other } else { self?.merge(other) }
    }
}
