/// How much an outbox keeps, and how much of it is on its way at a time.
package struct OutboxLimits: Equatable, Sendable {
    /// Estimated memory of all batches kept, in bytes.
    package var maxBytes: Int
    /// In microseconds, since a batch was put in.
    package var maxAge: Int64

    /// Batches that may be handed out and unanswered at a time: libmosquitto's own window, so that its queue stays empty.
    package static let widestWindow = 20

    package init(maxBytes: Int = 64 << 20, maxAgeHours: Int = 168) {
        self.maxBytes = max(0, maxBytes)
        maxAge = Int64(max(0, min(maxAgeHours, 1_000_000))) * 3_600_000_000
    }
}

/// What became of batches so far.
package struct OutboxCounters: Equatable, Sendable {
    /// Handed out, repetitions included.
    package internal(set) var published: UInt64 = 0
    /// Handed out for another time.
    package internal(set) var repeated: UInt64 = 0
    /// Taken by the broker.
    package internal(set) var acknowledged: UInt64 = 0
    /// Set aside, because the broker won't ever take them.
    package internal(set) var refused: UInt64 = 0
    /// Given up for want of room, or for their age.
    package internal(set) var dropped: UInt64 = 0
    /// Never put in: numbers that were missing when the next batch came.
    package internal(set) var missed: UInt64 = 0

    package init() {}
}
