import Primitives

/// A stored minute.
package struct StoredMinute: Equatable, Sendable {
    package let start: UnixTime
    package let end: UnixTime
    package let rev: Int
    package let isFinal: Bool
    /// The values that were published first.
    package let mark: [UInt8]
    /// The JSON that was published last.
    package let document: [UInt8]
    package let summary: [UInt8]

    package init(
        start: UnixTime, end: UnixTime, rev: Int, isFinal: Bool, mark: [UInt8],
        document: [UInt8], summary: [UInt8]
    ) {
        self.start = start
        self.end = end
        self.rev = rev
        self.isFinal = isFinal
        self.mark = mark
        self.document = document
        self.summary = summary
    }
}

/// The sums of an hour or of a day.
package struct StoredPeriod: Equatable, Sendable {
    package let start: UnixTime
    package let end: UnixTime
    package let summary: [UInt8]

    package init(start: UnixTime, end: UnixTime, summary: [UInt8]) {
        self.start = start
        self.end = end
        self.summary = summary
    }
}

/// The lengths of a stored period.
package enum HistoryStep: String, CaseIterable, Sendable {
    case hour, day
}
