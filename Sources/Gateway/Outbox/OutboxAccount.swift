import Primitives
import Sightings

/// The state of an outbox that its successor in another process needs, besides the batches themselves.
///
/// The source of the batches keeps the latest account and each batch until the outbox no longer holds it. A new outbox
/// continues from both: `Outbox.restore`, then `append` for each batch.
package struct OutboxAccount: Equatable, Sendable {
    /// The number of the next batch. A higher number means that batches are missing.
    package var nextSeq: UInt64 = 0
    /// The batches of the session that only this process has: they are neither stored nor acknowledged.
    package var held: [ClosedRange<UInt64>] = []
    /// The loss of the session that is in no message and in no file.
    package var lost: Loss?
    /// The batches of the session that are stored in memory, because there is no working disk, and the losses that they
    /// declare. With the process, they are lost.
    package var inMemory: Loss?
    package var counters = OutboxCounters()

    package init() {}

    /// Whether the outbox still needs this number from the source.
    package func holds(_ seq: UInt64) -> Bool { held.contains { $0.contains(seq) } }
}

extension Outbox {
    package var account: OutboxAccount {
        let session = origin.session
        let own = decidedWithoutRow.filter { $0.entry.session == session }
        let isLoaded = { (batch: DecidedBatch) in batch.id.rawValue >= Entry.ID.firstOfBacklog }
        let held =
            own.filter { !isLoaded($0) }.map(\.entry.batch.seq)
            + new.queue.elements.map(\.stored.batch.seq)
        var inMemory = RangeSet<UInt64>()
        var declared: Loss?
        for batch in own where isLoaded(batch) {
            inMemory.insert(batch.entry.batch.numbers)
            declared.merge(batch.entry.lost)
        }
        for header in persistence.memoryHeaders where header.session == session {
            inMemory.insert(header.numbers)
            declared.merge(header.lost)
        }
        var account = OutboxAccount()
        account.nextSeq = new.nextSeq
        account.held = held.ranges
        // A successor finds the others in the file, as a loss or as a row.
        let found = persistence.rows.foundLosses(of: session)
        account.lost = undeclared.flatMap { $0.batches > found ? $0 : nil }
        account.inMemory = inMemory.loss(.damaged)
        account.inMemory.merge(declared)
        account.counters = counters
        return account
    }

    /// The number of batches that are stored in memory, because there is no working disk.
    package var storedInMemory: Int { persistence.inMemory }

    /// Continues the account of an outbox whose process ended. Call it after `open`, and before any batch is appended.
    package mutating func restore(_ account: OutboxAccount) {
        new = NewBatches(nextSeq: account.nextSeq)
        persistence.restore(account)
    }

    /// Adds a batch that the outbox of an ended process had. It may have been sent, so it never changes.
    ///
    /// - Parameter stored: the batch with the stamp and the loss of its message.
    package mutating func append(decided stored: StoredBatch, at now: Instant) {
        let seq = stored.batch.seq
        noteArrival(of: seq)
        // The ended process stored it, and could not report that any more.
        guard !persistence.ledger.storedNumbers.contains(seq) else { return }
        let entry = Entry(id: Entry.ID(rawValue: seq), stored: stored)
        unacknowledged.addUnsent(DecidedBatch(entry: entry, since: now, notBefore: now))
    }

    /// Stores all batches in memory before their time.
    package mutating func storeAll(at now: Instant) {
        if limits.persistAfter != nil, unsaved > 0 { persist(at: now) }
    }

    /// Takes the batches whose stamp or loss changed when they were handed out. They
    /// have no row.
    package mutating func takeDecisions() -> [StoredBatch] {
        defer { decisions = [] }
        return decisions
    }
}

extension Persistence {
    /// The headers in the memory store.
    fileprivate var memoryHeaders: [BatchHeader] {
        guard inMemory > 0 else { return [] }
        return (try? memory.store.headers(after: 0, limit: .max)) ?? []
    }

    fileprivate mutating func restore(_ account: OutboxAccount) {
        var numbers = RangeSet<UInt64>()
        for header in (try? store?.store.headers(after: 0, limit: .max)) ?? []
        where header.session == origin.session {
            numbers.insert(header.numbers)
        }
        ledger.continueSession(account, stored: numbers)
    }
}

extension LossLedger {
    fileprivate mutating func continueSession(
        _ account: OutboxAccount, stored numbers: RangeSet<UInt64>
    ) {
        counters = account.counters
        replacedStore(with: numbers)
        // The file's loss is an earlier or a later state of the same loss: the larger one includes the other.
        let known = take(of: session)
        merge(
            [known, account.lost].compactMap(\.self).max { $0.batches < $1.batches }, of: session)
        // A commit moves all batches from memory to the file at once.
        guard let lost = account.inMemory, !numbers.contains(lost.toSeq) else { return }
        counters.damaged &+= lost.batches
        merge(lost, of: session)
    }
}

extension [UInt64] {
    /// Ascending ranges of all numbers.
    fileprivate var ranges: [ClosedRange<UInt64>] {
        var ranges: [ClosedRange<UInt64>] = []
        for number in sorted() {
            if let last = ranges.last, number <= last.upperBound &+ 1 {
                ranges[ranges.count - 1] = last.lowerBound...Swift.max(number, last.upperBound)
            } else {
                ranges.append(number...number)
            }
        }
        return ranges
    }
}

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
