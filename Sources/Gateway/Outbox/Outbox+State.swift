import Primitives
import Sightings

extension Outbox {
    /// The number of batches, in flight or not.
    package var depth: Int { unsaved + persistence.stored }

    /// The number of batches in the file.
    package var stored: Int { persistence.stored }

    /// The number of batches that a kill would lose.
    package var unsaved: Int { decidedWithoutRow.count + new.queue.count + persistence.inMemory }

    var decidedWithoutRow: [DecidedBatch] {
        let decided =
            unacknowledged.batches + new.writtenAhead.elements + backlog.loaded.elements
        return decided.filter { persistence.rows[$0.id] == nil }
    }

    /// The number of batches that are sent and not answered.
    package var inFlight: Int { unacknowledged.inFlight }

    /// Whether all new batches are acknowledged. A backlog can be left.
    package var isLiveEmpty: Bool { unacknowledged.batches.isEmpty && new.isEmpty }

    /// Whether no decided batch is in memory.
    var isIdle: Bool { unacknowledged.batches.isEmpty && backlog.loaded.isEmpty }

    /// The size of all batches: estimated memory, and stored bytes.
    package var bytes: Int { unstoredBytes + persistence.bytes }

    /// The estimated memory of batches that are not stored.
    var unstoredBytes: Int {
        new.bytes + decidedWithoutRow.reduce(0) { $0 + $1.entry.batch.memoryCost }
    }

    /// Whether the disk works, as far as known.
    package var isDurable: Bool { persistence.isUsable }

    /// The loss of this session that no message has declared yet.
    package var undeclared: Loss? { persistence.ledger.losses[origin.session] }

    /// The age of the oldest batch; zero if there is none. A batch of an earlier boot counts if its age is known.
    package func oldestAge(at now: Instant, clock: Stamp? = nil) -> Duration {
        let oldest = [
            unacknowledged.batches.map(\.since).min(), new.queue.first?.since,
            backlog.loaded.first?.since,
        ]
        let ages = oldest.compactMap(\.self).map { now - $0 }
        let stored = persistence.oldestHeaders.map { age(at: now, clock).known($0) ?? .zero }
        return max(.zero, (ages + stored).max() ?? .zero)
    }

    /// The next time when `tick` has something to do, or `next` can hand out a batch.
    package func deadline(isConnected: Bool) -> Instant? {
        var due = [persistence.rows.removeBy, persistDue]
        if persistence.inMemory > 0 { due.append(persistence.availability.nextAttempt) }
        // Without room, only an answer of the broker changes anything.
        if isConnected, unacknowledged.hasRoom { due += sendingDue }
        return due.compactMap(\.self).min()
    }

    /// The times when `next` may have a batch.
    private var sendingDue: [Instant?] {
        switch unacknowledged.due {
        case .repetition(let next): return [next]
        case .suspect(let next):
            guard unacknowledged.takesMore else { return [next] }
            var due = [next]
            if hasBacklog, !backlog.waitsForClock, unacknowledged.hasRoomForBacklog {
                due.append(backlog.rate.due)
            }
            if backlog.waitsForClock || isNewDelayed { due.append(clockDelay.deadline) }
            return due
        }
    }

    /// Whether a kill would hide a loss: the file does not have it, and a batch that declares it is in memory only.
    var hasUnsavedLoss: Bool {
        guard persistence.hasDisk else { return false }
        return persistence.ledger.losses != persistence.rows.losses
            || decidedWithoutRow.contains { $0.entry.lost != nil }
    }

    /// The time to store the oldest batch that is not stored.
    var persistDue: Instant? {
        guard let persistAfter = limits.persistAfter else { return nil }
        let wait = max(persistAfter, .milliseconds(1))
        let new = new.queue.first.map { $0.since + wait }
        guard persistence.hasDisk else { return new }
        // Decided batches stay in memory while the disk does not work.
        let decided = (unacknowledged.batches + backlog.loaded.elements).first {
            persistence.rows[$0.id] == nil
        }
        var old = [decided?.since, unsavedLossSince].compactMap(\.self).min().map { $0 + wait }
        if let due = old, let next = persistence.availability.nextAttempt { old = max(due, next) }
        return [new, old].compactMap(\.self).min()
    }

    var hasBacklog: Bool {
        !backlog.loaded.isEmpty || persistence.inMemory > 0 || persistence.hasRowsToLoad
    }
}
