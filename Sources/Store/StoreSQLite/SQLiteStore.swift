import Posix
import Primitives
import Queueing
import ResultStore
import SQLite

/// The server's store: facts, minutes, hours, days and visits in one SQLite file.
///
/// When the disk fails, uncommitted batches stay in memory and in a journal on another file system, within a bound, and
/// `state` has the reason. The owner acknowledges no message of a batch that `commit` has refused. A damaged file is replaced
/// meanwhile.
package final class SQLiteStore: RowStore {
    package var retention: StoreRetention
    private let file: StoreFile
    private let mostPendingBytes: Int
    private var database: StoreDatabase?
    private var availability = DiskAvailability()
    private var failure: StoreFailure?
    /// What the file has not taken.
    package private(set) var pending = StoreBatch()
    private var pendingBytes = 0
    private var events: [StoreEvent] = []
    private var journal: StoreJournal?
    private var check = StoreCheck()
    private var inspection = StoreInspection()
    /// The copy of the readable rows of a damaged file.
    private var copying: BlockingCall<Result<Int, StoreFailure>>?

    /// - Parameters:
    ///   - path: the file; its folder is created if it is missing.
    ///   - journal: a file for uncommitted batches, on another file system; `nil` if there is none.
    ///   - mostPendingBytes: the memory for batches that are not committed.
    ///   - merge: merges the sums of periods; the store does not read them.
    package convenience init(
        path: String, journal: String? = nil, retention: StoreRetention = StoreRetention(),
        mostPendingBytes: Int = 16 << 20, at now: Instant, merge: @escaping SummaryMerge
    ) {
        self.init(
            StoreFile(path: path, schema: .current, merge: merge),
            journal: journal.map { StoreFile(path: $0, schema: .current, merge: merge) },
            retention: retention, mostPendingBytes: mostPendingBytes, at: now)
    }

    init(
        _ file: StoreFile, journal: StoreFile? = nil, retention: StoreRetention,
        mostPendingBytes: Int, at now: Instant
    ) {
        self.file = file
        self.journal = journal.map { StoreJournal($0) }
        self.retention = retention
        self.mostPendingBytes = mostPendingBytes
        _ = open(at: now)
        guard let kept = self.journal?.contents() else { return }
        pending = kept
        pendingBytes = kept.bytes
        _ = retry(at: now)
    }

    package var state: StoreState {
        guard let failure else { return .durable }
        if isBeingReplaced {
            return .unavailable(
                reason: "the store is damaged (\(failure)); its readable rows are being copied",
                nextAttempt: nil)
        }
        return failure.cause == .newer
            ? .refused(reason: failure.description)
            : .unavailable(
                reason: failure.description, nextAttempt: availability.nextAttempt)
    }

    /// Whether the file can be read.
    package var isOpen: Bool { database != nil }

    /// Whether the file is open, and no damage is known that the next commit repairs.
    package var isReadable: Bool { isOpen && failure?.cause != .corrupt }

    /// Whether the rows of a damaged file are being copied.
    package var isBeingReplaced: Bool { copying != nil }

    /// The estimated memory of the batches that are not committed.
    package var uncommittedBytes: Int { pendingBytes }

    /// The events since the last call.
    package func takeEvents() -> [StoreEvent] {
        defer { events = [] }
        return events
    }

    /// Stores what was kept before, then what one turn has brought. Each batch is stored wholly or not at all.
    package func commit(_ batch: StoreBatch, at now: Instant) -> StoreOutcome {
        if retry(at: now), write(batch, at: now) { return .durable }
        let bytes = batch.bytes
        guard pendingBytes + bytes <= mostPendingBytes, journal?.add(batch) == true else {
            return .refused
        }
        pending.append(batch)
        pendingBytes += bytes
        return .kept
    }

    /// Tries to store what was kept, if it is time for an attempt. The owner calls it every second.
    ///
    /// - Returns: whether nothing is left in memory.
    package func retry(at now: Instant) -> Bool {
        guard !pending.isEmpty || failure != nil else { return true }
        guard write(pending, at: now) else { return false }
        pending = StoreBatch()
        pendingBytes = 0
        journal?.remove()
        return true
    }

    /// Whether the rows are compared with their indexes from which the running day is computed; or can't be.
    package var isDayChecked: Bool { check.isDone || !isOpen }

    /// Whether the whole file was checked once.
    package var isChecked: Bool { check.isDone && inspection.isDone || !isOpen }

    /// Compares some of the rows with their index, then looks after the check of the whole file, and replaces a damaged one. The
    /// owner calls it until the day is checked before it reads the day, and later once a second.
    package func checkNext(at now: Instant) {
        guard check.isDone else { return compareNext(at: now) }
        // With a truncated index, the check can report a damage that is none.
        guard isReadable, usable != nil, let damage = inspection.step(file.path, at: now) else {
            return
        }
        noteDamage(damage)
        _ = retry(at: now)
    }

    private func compareNext(at now: Instant) {
        do throws(StoreFailure) {
            _ = try read { database throws(SQLiteError) in try check.step(database.connection) }
        } catch {
            // A new file has whole indexes. What can't be read now shows when it is needed.
            check.end()
            _ = retry(at: now)
        }
    }

    /// Erases a part of the files that were set aside and are too old. The owner calls it like `expire`, also while the disk fails.
    package func eraseSetAside(wall: UnixTime, day: UnixTime) -> SetAsideErasure {
        SetAsideFiles(of: file.path).erase(
            before: retention.evidenceStart(at: wall, day: day), wall: wall)
    }

    /// Removes some of the rows that are too old. The owner calls it about once a minute, and again soon while it returns true.
    ///
    /// - Parameters:
    ///   - day: the start of the running day: its facts stay.
    package func expire(at now: Instant, wall: UnixTime, day: UnixTime) -> Bool {
        guard failure == nil, let database = usable else { return false }
        do throws(StoreFailure) {
            return try database.expire(retention, at: wall, day: day)
        } catch {
            failed(error, at: now)
            return false
        }
    }

    /// Copies the log into the file and empties it: removed rows are then in neither of them.
    ///
    /// - Returns: whether it is empty; another process may be reading from it, or the check.
    @discardableResult
    package func forget() -> Bool {
        // SQLite would wait for the check.
        inspection.isRunning ? false : emptyLog()
    }

    @discardableResult
    private func emptyLog() -> Bool {
        guard let connection = usable?.connection else { return false }
        // Its first column is 1 if a reader was in the way (sqlite.org/pragma.html#pragma_wal_checkpoint).
        return (try? connection.number("PRAGMA wal_checkpoint(TRUNCATE)")) == 0
    }

    /// Copies the log into the file and closes it.
    package func close() {
        database?.close()
        database = nil
        journal?.close()
    }

    /// The open file, with a whole index of its log.
    private var usable: StoreDatabase? {
        if database?.restoreIndex() == true {
            events.append(.indexTruncated(path: file.path))
            inspection = StoreInspection()
        }
        return database
    }

    /// Reads from the file; `nil` if it is not open. The next commit replaces a file that proves damaged.
    package func read<Result>(
        _ work: (StoreDatabase) throws(SQLiteError) -> Result
    ) throws(StoreFailure) -> Result? {
        guard let database = usable else { return nil }
        do throws(SQLiteError) {
            return try work(database)
        } catch {
            let found = StoreFailure(error)
            noteDamage(found)
            throw found
        }
    }

    /// Lets the next commit replace the file, if it is damaged.
    package func noteDamage(_ found: StoreFailure) {
        if found.cause == .corrupt, failure == nil { failure = found }
    }

    private func write(_ batch: StoreBatch, at now: Instant) -> Bool {
        guard open(at: now), let database else { return false }
        do throws(StoreFailure) {
            try database.commit(batch)
            if availability.succeeded() { events.append(.available) }
            failure = nil
            return true
        } catch {
            failed(error, at: now)
            if error.cause == .corrupt { replace(at: now) }
            return false
        }
    }

    /// Opens the file if the disk may be tried now, and replaces it if it is damaged.
    private func open(at now: Instant) -> Bool {
        guard failure?.cause != .newer, availability.mayTry(at: now) else { return false }
        if failure?.cause == .corrupt {
            replace(at: now)
            return database != nil
        }
        if let database = usable {
            let isInPlace = database.isInPlace
            let hasLog = database.hasLog
            if isInPlace, hasLog, !database.connection.isReadOnly { return true }
            if isInPlace, !hasLog {
                // The kernel keeps the bytes of a removed log until it is closed.
                emptyLog()
                events.append(.logRemoved(path: file.path))
            }
            if !isInPlace {
                // A file that another program has put there stays.
                let isRestored = !File.exists(file.path) && (try? database.restore()) != nil
                events.append(.removed(path: file.path, isRestored: isRestored))
            }
            database.close()
            self.database = nil
        }
        do throws(StoreFailure) {
            database = try file.open()
            check = StoreCheck()
            inspection = StoreInspection()
            return true
        } catch {
            failed(error, at: now)
            if error.cause == .corrupt { replace(at: now) }
            return database != nil
        }
    }

    /// Begins to replace the file, or ends it, once its rows are copied.
    private func replace(at now: Instant) {
        let recovery = StoreRecovery(file: file)
        do throws(StoreFailure) {
            guard let copying else {
                database?.close()
                database = nil
                return copying = try recovery.begin()
            }
            guard let copied = copying.takeResult() else { return }
            self.copying = nil
            let rows = try copied.get()
            let aside = try recovery.exchange()
            events.append(
                .replaced(aside: aside, reason: failure?.description ?? "", rows: rows))
            database = try file.open()
            inspection = StoreInspection()
            failure = nil
            availability = DiskAvailability()
        } catch {
            failed(error.cause == .corrupt ? error.with(.unavailable) : error, at: now)
        }
    }

    private func failed(_ error: StoreFailure, at now: Instant) {
        failure = error
        // The store replaces a damaged file without a pause.
        guard error.cause != .corrupt else { return }
        if availability.failed(at: now) {
            events.append(.unavailable(reason: error.description))
        }
    }
}
