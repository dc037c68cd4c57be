import Primitives

/// How far the knowledge of a gateway reaches without a hole.
///
/// A hole closes when windows fill it, when the gateway declares its messages as lost, or by force. The next day goes on from
/// the last window, so that its first one is behind no hole.
package struct Watermark: Sendable {
    /// `nil` before the first window.
    private(set) var end: UnixTime?
    /// The window that ends there; `nil` if it is of the day before.
    private var session: String?
    private var lastNumber: UInt64 = 0

    /// Before the first window of all.
    package init() {}

    /// For the next day. A loss between the two days is not declared there: after a restart, the last window of the day before is not known.
    package var ofDayBefore: Watermark {
        var copy = self
        copy.session = nil
        return copy
    }

    /// Moves to the beginning of the next window in canonical order.
    ///
    /// - Parameter force: whether it passes a hole without an explanation.
    /// - Returns: the time that the gateway declared as lost, mostly empty; `nil` if a hole stops the watermark.
    mutating func reach(
        _ window: WindowFact, _ ledger: SessionLedger?, force: Bool
    ) -> Range<UnixTime>? {
        let start = window.span.lowerBound
        var lost = start..<start
        if let end {
            if end < start {
                let isDeclared = session == window.session && isExplained(window, ledger)
                guard isDeclared || force else { return nil }
                if isDeclared {
                    lost = end..<start
                    self.end = start
                }
            }
        } else if !force {
            // Windows before the first one may be on their way.
            return nil
        }
        return lost
    }

    /// Moves over the window.
    mutating func pass(_ window: WindowFact) {
        guard window.span.upperBound >= end ?? .min else { return }
        end = window.span.upperBound
        session = window.session
        lastNumber = window.numbers.upperBound
    }

    private func isExplained(_ window: WindowFact, _ ledger: SessionLedger?) -> Bool {
        let (first, overflow) = lastNumber.addingReportingOverflow(1)
        guard !overflow, first <= window.numbers.lowerBound else { return false }
        guard first < window.numbers.lowerBound else { return true }
        return ledger?.accounts(for: first...window.numbers.lowerBound - 1) ?? false
    }
}
