import Primitives
import Sightings

/// How things stand.
extension Outbox {
    /// Messages kept, in flight or not.
    package var depth: Int { unstored + memory.store.count + stored }

    /// Of these, the ones on the disk.
    package var stored: Int { max(0, (disk.depot?.store.count ?? 0) - disk.done.count) }

    /// Of these, the ones that would be gone with the process.
    package var unsaved: Int { unstored + memory.store.count }

    private var unstored: Int {
        attempted.count { $0.row == nil } + waiting.count + head.elements.count { $0.row == nil }
    }

    /// Batches handed out and not answered.
    package var inFlight: Int { attempted.count { $0.isInFlight } }

    /// Whether there is nothing new that the broker has not acknowledged; a backlog may be left.
    package var isLiveEmpty: Bool {
        attempted.isEmpty && waiting.isEmpty && writtenAhead.isEmpty
    }

    /// What is kept takes so much: memory, and as stored.
    package var bytes: Int {
        unstoredBytes + memory.store.bytes + (stored > 0 ? disk.depot?.store.bytes ?? 0 : 0)
    }

    /// Whether what has to be stored goes to a disk that works, as far as is known.
    package var isDurable: Bool { disk.isUsable }

    /// How long the oldest batch has been here, in microseconds; zero when there is none. One of an earlier boot counts
    /// by the wall clock, if both its label and `clock` are to be trusted.
    package func oldestAge(at now: Instant, clock: Stamp? = nil) -> Int64 {
        // New batches are handed out before older ones of the backlog.
        let attempts = attempted.map(\.since).min()
        var ages = [attempts, waiting.first?.since, head.first?.since]
            .compactMap(\.self).map { now.microseconds(since: $0) }
        for store in [disk.depot?.store, memory.store].compactMap(\.self) where store.count > 0 {
            guard let row = try? store.rows(after: 0, limit: 1).first else { continue }
            if !disk.done.contains(row.id) { ages.append(age(of: row, at: now, clock) ?? 0) }
        }
        return max(0, ages.max() ?? 0)
    }

    /// When something is due that `tick` does, or `next` could hand something out; `nil` when nothing is.
    package func deadline(isConnected: Bool) -> Instant? {
        var due = [disk.removeBy, spillDue]
        if memory.store.count > 0 { due.append(disk.nextAttempt) }
        if isConnected, hasBacklog, !isBacklogHeld, inFlight < max(1, window / 2) {
            due.append(pace.due)
        }
        if isConnected, isBacklogHeld || isNewHeld { due.append(hold.deadline) }
        if isConnected {
            let isIdle = inFlight == 0
            due += attempted.filter { !$0.isInFlight && (isIdle || !$0.isSuspect) }.map(\.notBefore)
        }
        return due.compactMap(\.self).min()
    }

    /// When the oldest that is not stored has waited long enough.
    var spillDue: Instant? {
        guard let spillAfter = limits.spillAfter else { return nil }
        let wait = max(spillAfter, 1000)
        let new = waiting.first?.since.advanced(byMicroseconds: wait)
        guard disk.disk != nil else { return new }
        // What was handed out stays in memory until there is a disk.
        let oldest = (attempted + head.elements).first { $0.row == nil }
        var old = oldest?.since.advanced(byMicroseconds: wait)
        if let due = old, let next = disk.nextAttempt { old = max(due, next) }
        return [new, old].compactMap(\.self).min()
    }

    var hasBacklog: Bool { !head.isEmpty || memory.store.count > 0 || hasRowsToLoad }

    /// Whether the disk has rows that are not in memory.
    var hasRowsToLoad: Bool {
        guard let store = disk.depot?.store else { return false }
        let inMemory = attempted.count { $0.row != nil } + head.elements.count { $0.row != nil }
        return store.count > disk.done.count + inMemory + writtenAhead.count
    }
}
