/// Counters since the start.
package struct OutboxCounters: Equatable, Sendable {
    /// Batches handed out, repetitions included.
    package internal(set) var published: UInt64 = 0
    package internal(set) var repeated: UInt64 = 0
    package internal(set) var acknowledged: UInt64 = 0
    /// Batches that the broker rejected permanently.
    package internal(set) var refused: UInt64 = 0
    /// Batches dropped because the outbox was full, or because they were too old.
    package internal(set) var dropped: UInt64 = 0
    /// Numbers that never arrived in the outbox.
    package internal(set) var missed: UInt64 = 0
    /// Batches written to the disk.
    package internal(set) var stored: UInt64 = 0
    /// Numbers that became a part of another message, because the outbox was full.
    package internal(set) var merged: UInt64 = 0
    /// Stored batches that are damaged.
    package internal(set) var damaged: UInt64 = 0
    /// Corrupt files that were set aside.
    package internal(set) var setAside: UInt64 = 0

    package init() {}
}
