import Posix
import Primitives
import Sightings

/// The stored batches: in a file while the disk works, in memory while it does not.
///
/// The file exists only while something is stored.
struct Persistence {
    let origin: Origin
    var limits: OutboxLimits { didSet { if limits != oldValue { apply(limits) } } }
    /// `nil`: batches are stored in memory only.
    private(set) var disk: (any Disk)?
    /// The open file.
    var store: BoundedStore?
    /// The replacement of the file. It has no batch that was handed out.
    var memory: BoundedStore
    var rows = StoredRows()
    var availability = DiskAvailability()
    /// The discovery of earlier sessions' batches.
    private(set) var firstSeen: Instant?
    var ledger: LossLedger
    var events: [OutboxEvent] = []

    init(_ limits: OutboxLimits, origin: Origin, disk: (any Disk)?) {
        self.limits = limits
        self.origin = origin
        self.disk = disk
        ledger = LossLedger(session: origin.session)
        memory = BoundedStore(
            MemoryStore(), maxBytes: min(limits.maxBytes, OutboxLimits.maxMemory),
            maxSightings: limits.maxSightings)
    }

    private mutating func apply(_ limits: OutboxLimits) {
        memory.maxBytes = min(limits.maxBytes, OutboxLimits.maxMemory)
        memory.maxSightings = limits.maxSightings
        disk?.limit(to: limits.maxBytes)
        store?.maxBytes = limits.maxBytes
        store?.maxSightings = limits.maxSightings
        store?.store.limit(to: limits.maxBytes)
    }

    var hasDisk: Bool { disk != nil }
    /// Whether the disk works, as far as known.
    var isUsable: Bool { hasDisk && !availability.isFailing }
    /// The number of batches in the file.
    var stored: Int { max(0, (store?.store.count ?? 0) - rows.released.count) }
    /// The number of batches in memory.
    var inMemory: Int { memory.store.count }
    var bytes: Int { memory.store.bytes + (stored > 0 ? store?.store.bytes ?? 0 : 0) }
    /// Whether the file has batches that are not in memory.
    var hasRowsToLoad: Bool {
        (store?.store.count ?? 0) > rows.released.count + rows.all.count
    }

    /// The oldest batch of the file, and of the memory store.
    var oldestHeaders: [BatchHeader] {
        let inFile = store.flatMap { try? $0.store.headers(after: 0, limit: 1).first }
        let inMemory = try? memory.store.headers(after: 0, limit: 1).first
        return [inFile.flatMap { rows.released.contains($0.id) ? nil : $0 }, inMemory]
            .compactMap(\.self)
    }

    func mayTry(at now: Instant) -> Bool { hasDisk && availability.mayTry(at: now) }

    /// Permits an attempt on the disk immediately.
    mutating func retryNow() { availability.retryNow() }

    typealias Work = (inout BoundedStore, inout LossLedger) throws(BatchStoreFailure) -> Void

    /// Changes the file, completely or not at all. Removes released rows and stores the losses too.
    ///
    /// - Parameter creating: creates the file if it does not exist.
    /// - Returns: whether the change is committed.
    @discardableResult
    mutating func transaction(at now: Instant, creating: Bool = false, _ work: Work) -> Bool {
        guard open(at: now, creating: creating), var store else { return false }
        var ledger = ledger
        do throws(BatchStoreFailure) {
            try store.store.begin()
            try store.store.remove(rows.released)
            try work(&store, &ledger)
            if ledger.losses != rows.losses { try store.store.set(ledger.losses) }
            try store.store.commit()
        } catch {
            store.store.rollback()
            failed(error, at: now)
            return false
        }
        self.ledger = ledger
        self.store = store
        rows.committed(ledger.losses)
        if availability.succeeded() { events.append(.storeAvailable) }
        return true
    }

    /// Opens the file, if the disk may be tried now.
    mutating func open(at now: Instant, creating: Bool) -> Bool {
        guard let disk, availability.mayTry(at: now) else { return false }
        guard store == nil else { return true }
        do throws(BatchStoreFailure) {
            guard let opened = try disk.open(creating: creating) else { return false }
            firstSeen = firstSeen ?? now
            rows.losses = try opened.losses()
            for (session, loss) in rows.losses { ledger.merge(loss, of: session) }
            store = bounded(opened)
            return true
        } catch {
            failed(error, at: now)
            return store != nil
        }
    }

    func bounded(_ store: any BatchStore) -> BoundedStore {
        BoundedStore(store, maxBytes: limits.maxBytes, maxSightings: limits.maxSightings)
    }

    mutating func failed(_ failure: BatchStoreFailure, at now: Instant) {
        switch failure.cause {
        case .unavailable:
            guard availability.failed(at: now) else { return }
            events.append(.storeUnavailable(reason: failure.description))
        case .corrupt: replaceCorruptStore(failure, at: now)
        }
    }

    /// Stores decided batches that have no row, the batches of the memory store, and new ones, in this order. Without a
    /// disk, the new ones go to the memory store, and decided ones stay where they are.
    mutating func persist(
        _ decided: [DecidedBatch], _ new: [StoredBatch], at now: Instant
    ) {
        let unsaved = decided.filter { rows[$0.id] == nil }.map(\.entry)
        let kept = memory.store
        var added: [Int64] = []
        let isDone = transaction(at: now, creating: true) {
            (store, ledger) throws(BatchStoreFailure) in
            for entry in unsaved {
                added.append(try store.append(entry.stored, isFinal: true))
                ledger.stored(entry.batch.numbers, of: entry.session)
            }
            for header in try kept.headers(after: 0, limit: .max) {
                guard let body = try kept.body(of: header.id) else { continue }
                _ = try store.store.append(header, body)
                ledger.stored(header.numbers, of: header.session)
                try store.makeRoom(&ledger)
            }
            for stored in new {
                try store.append(stored, isFinal: false)
                ledger.stored(stored.batch.numbers, of: stored.origin.session)
                // After each batch: the file must not grow for batches that are dropped again.
                try store.makeRoom(&ledger)
            }
        }
        guard isDone else {
            // The memory store never throws.
            for stored in new {
                _ = try? memory.append(stored, isFinal: false)
                try? memory.makeRoom(&ledger)
            }
            return
        }
        for (entry, row) in zip(unsaved, added) { rows.add(row, of: entry) }
        let moved = try? kept.headers(after: 0, limit: .max)
        try? kept.remove(moved?.map(\.id) ?? [])
    }

    /// Decides new batches and stores them, before they are handed out.
    ///
    /// - Returns: the batches; empty if they could not be stored.
    mutating func writeAhead(
        _ new: [NewBatch], _ clock: Stamp?, creating: Bool, at now: Instant
    ) -> [DecidedBatch] {
        var decided: [(batch: DecidedBatch, row: Int64)] = []
        let origin = origin
        let isDone = transaction(at: now, creating: creating) {
            (store, ledger) throws(BatchStoreFailure) in
            for new in new {
                let numbers = new.stored.batch.numbers
                let lost = ledger.take(before: numbers, of: origin.session)
                let batch = new.decided(clock, lost, at: origin)
                decided.append((batch, try store.append(batch.entry.stored, isFinal: true)))
                ledger.stored(numbers, of: origin.session)
            }
            try store.makeRoom(&ledger)
        }
        guard isDone else { return [] }
        for (batch, row) in decided { rows.add(row, of: batch.entry) }
        return decided.map(\.batch)
    }

    /// Decides a batch without storing it.
    mutating func decide(_ new: NewBatch, _ clock: Stamp?) -> DecidedBatch {
        let session = origin.session
        let permitted = rows.permitsDeclaring(of: session)
        let lost = permitted ? ledger.take(before: new.stored.batch.numbers, of: session) : nil
        return new.decided(clock, lost, at: origin)
    }
}
