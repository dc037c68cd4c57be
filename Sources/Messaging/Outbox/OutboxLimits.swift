/// How much an outbox keeps, where, and how much of it is on its way at a time.
package struct OutboxLimits: Equatable, Sendable {
    /// What is stored may take so much, in bytes.
    package var maxBytes: Int
    /// In microseconds, since the end of a batch's window.
    package var maxAge: Int64
    /// How long a batch waits in memory before it is stored, in microseconds; zero: it is stored before it is sent;
    /// `nil`: never, and nothing is given up.
    package var spillAfter: Int64?
    /// Batches of the backlog that are sent in a second.
    package var backlogPerSecond: Int
    /// How long batches wait for the clock to be set, from the first connection to a broker, in microseconds; zero: not
    /// at all.
    package var holdUnsynced: Int64
    /// Sightings in a message that is merged of several.
    package var maxSightings = 500

    /// Batches that may be handed out and unanswered at a time: libmosquitto's own window, so that its queue stays empty.
    package static let widestWindow = 20
    /// Where there is no disk, no more than this is stored, whatever `maxBytes` says.
    package static let maxMemory = 16 << 20
    /// Estimated memory of the batches that are not stored yet, beyond which they don't wait for their time.
    package static let maxWaiting = 16 << 20
    /// What was handed out so often, and not acknowledged, goes behind everything else …
    static let mostAttempts = 10
    /// … and when it went alone and the connection ended, not again for so long, in microseconds.
    static let suspectPause: Int64 = 600_000_000
    /// Batches of the backlog in memory.
    static let head = 32
    /// Rows that are done with are removed so many at a time …
    static let removedAtOnce = 256
    /// … or after so long, in microseconds.
    static let removedAfter: Int64 = 10_000_000
    /// From one look for what is too old to the next, in microseconds.
    static let expiryInterval: Int64 = 60_000_000
    /// The backlog begins anything up to this after the connection, in microseconds: a fleet comes back at once.
    static let backlogSpread: UInt64 = 2_000_000

    package init(
        maxBytes: Int = 64 << 20, maxAgeHours: Int = 168, spillAfterMs: Int = 2000,
        backlogPerSecond: Int = 10, holdUnsyncedMs: Int = 0
    ) {
        self.maxBytes = max(0, maxBytes)
        maxAge = Int64(max(0, min(maxAgeHours, 1_000_000))) * 3_600_000_000
        spillAfter = Int64(max(0, min(spillAfterMs, 3_600_000))) * 1000
        self.backlogPerSecond = max(1, min(backlogPerSecond, 1_000_000))
        holdUnsynced = Int64(max(0, min(holdUnsyncedMs, 3_600_000))) * 1000
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
    /// Written to the disk.
    package internal(set) var stored: UInt64 = 0
    /// Numbers that have become a part of another message, for want of room.
    package internal(set) var merged: UInt64 = 0
    /// Stored, and not readable any more.
    package internal(set) var damaged: UInt64 = 0
    /// Stores that were set aside because they were damaged.
    package internal(set) var setAside: UInt64 = 0

    package init() {}
}
