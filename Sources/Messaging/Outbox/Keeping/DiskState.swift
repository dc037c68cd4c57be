import Posix
import Primitives
import Sightings

/// The disk as the outbox sees it: not wanted, not there yet, open, or in trouble for a while.
struct DiskState {
    /// Where a store can be; `nil` where none is wanted.
    private(set) var disk: (any Disk)?
    /// The store, while it is open.
    var depot: Depot?
    /// The losses that are written down there.
    var losses: [String: Loss] = [:]
    /// Numbers of this session that are there, in case it is damaged.
    var numbers = RangeSet<UInt64>()
    /// Rows that are done with, and still there.
    var done: [Int64] = []
    /// Some of those were given up, not delivered: to say so while they are there would be to say it too early.
    var hasGivenUp = false
    /// When those are removed at the latest.
    var removeBy: Instant?
    /// When this run first saw what earlier ones left: the age of what nobody dated counts from here.
    var seenSince: Instant?
    /// The last attempt failed.
    private(set) var isInTrouble = false
    private var notBefore: Instant?
    /// No longer than this, however often it failed: an attempt costs next to nothing, and what waits for it waits in
    /// memory, where it lasts no longer than the agent.
    private var backoff = Backoff(base: 10_000_000, cap: 30_000_000)

    init(_ disk: (any Disk)?) { self.disk = disk }

    /// Whether a message that is not written down may declare a session's loss: what is written down as lost, or is not
    /// yet known there to be lost, is declared only by a message that is written down as well. It is never declared twice.
    func letsDeclare(_ session: String) -> Bool { losses[session] == nil && !hasGivenUp }

    /// What is stored there may take so much, in bytes.
    mutating func bound(to maxBytes: Int) {
        disk?.bound(to: maxBytes)
        depot?.maxBytes = maxBytes
        depot?.store.bound(to: maxBytes)
    }

    /// Whether what is put there now would be kept, as far as is known.
    var isUsable: Bool { disk != nil && !isInTrouble }

    /// Whether it is worth another attempt.
    func mayTry(at now: Instant) -> Bool {
        guard disk != nil else { return false }
        return notBefore.map { $0 <= now } ?? true
    }

    /// Tries it at once, whatever happened before.
    mutating func hurry() { notBefore = nil }

    /// When a disk in trouble is tried again.
    var nextAttempt: Instant? { notBefore }

    /// - Returns: whether it had been in trouble.
    mutating func succeeded() -> Bool {
        defer { isInTrouble = false }
        notBefore = nil
        backoff.reset()
        return isInTrouble
    }

    /// - Returns: whether this is new.
    mutating func failed(at now: Instant) -> Bool {
        defer { isInTrouble = true }
        // No jitter: nobody else uses this disk.
        notBefore = now.advanced(byMicroseconds: backoff.next(random: .max))
        return !isInTrouble
    }
}

/// Something of the outbox that somebody should be told, once.
package enum OutboxNotice: Equatable, Sendable {
    /// What an earlier session left was found.
    case found(batches: Int)
    /// From here on batches are kept in memory only; the reason.
    case diskFailed(String)
    case diskIsBack
    /// The store was damaged: where it was put (`nil`: where it was), what was wrong, and what came of it.
    case damaged(String?, String, Salvage)
    /// An earlier session's loss that no message of it is left to declare.
    case undeclarable(session: String, Loss)
}
