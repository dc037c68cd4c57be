import Posix
import Primitives
import Queueing
import SQLite

/// The server's store: facts, minutes, hours, days and visits in one SQLite file.
///
/// When the disk fails, uncommitted batches stay in memory within a bound, and `state` has the reason. The owner
/// acknowledges messages only after `commit` has returned `.durable`.
package final class Store {
    /// What became of a batch.
    package enum Outcome: Equatable, Sendable {
        /// It is on the disk, and so are all batches before it.
        case durable
        /// It is in memory only. A later commit stores it.
        case kept
        /// The memory for uncommitted batches is full: the owner asks the broker again for its messages.
        case refused
    }

    private let path: String
    private let schema: StoreSchema
    private let merge: SummaryMerge
    private let mostPendingBytes: Int
    private var database: StoreDatabase?
    private var availability = DiskAvailability()
    private var failure: StoreFailure?
    private var pending = StoreBatch()
    private var pendingBytes = 0

    /// - Parameters:
    ///   - path: the file; its folder is created if it is missing.
    ///   - mostPendingBytes: the memory for batches that are not committed.
    ///   - merge: merges the sums of periods; the store does not read them.
    package convenience init(
        path: String, mostPendingBytes: Int = 16 << 20, at now: Instant,
        merge: @escaping SummaryMerge
    ) {
        self.init(
            path: path, schema: .current, mostPendingBytes: mostPendingBytes, at: now,
            merge: merge)
    }

    init(
        path: String, schema: StoreSchema, mostPendingBytes: Int, at now: Instant,
        merge: @escaping SummaryMerge
    ) {
        self.path = path
        self.schema = schema
        self.merge = merge
        self.mostPendingBytes = mostPendingBytes
        _ = open(at: now)
    }

    package var state: StoreState {
        guard let failure else { return .durable }
        return failure.cause == .newer
            ? .refused(reason: failure.description)
            : .unavailable(
                reason: failure.description, nextAttempt: availability.nextAttempt)
    }

    /// The estimated memory of the batches that are not committed.
    package var uncommittedBytes: Int { pendingBytes }

    /// Stores what one turn has brought, with everything that was kept before it, in one transaction.
    package func commit(_ batch: StoreBatch, at now: Instant) -> Outcome {
        if pending.isEmpty, !batch.isEmpty, write(batch, at: now) { return .durable }
        let bytes = batch.bytes
        guard pendingBytes + bytes <= mostPendingBytes else {
            // Without this batch: the memory is for what was kept before.
            _ = retry(at: now)
            return .refused
        }
        pending.append(batch)
        pendingBytes += bytes
        return retry(at: now) ? .durable : .kept
    }

    /// Tries to store what was kept, if it is time for an attempt.
    ///
    /// - Returns: whether nothing is left in memory.
    package func retry(at now: Instant) -> Bool {
        guard !pending.isEmpty || failure != nil else { return true }
        guard write(pending, at: now) else { return false }
        pending = StoreBatch()
        pendingBytes = 0
        return true
    }

    /// Copies the log into the file and closes it.
    package func close() {
        database?.close()
        database = nil
    }

    /// Reads from the file; `nil` if it can't be opened.
    func read<Result>(
        _ work: (StoreDatabase) throws(SQLiteError) -> Result
    ) throws(StoreFailure) -> Result? {
        guard let database else { return nil }
        do throws(SQLiteError) { return try work(database) } catch { throw StoreFailure(error) }
    }

    private func write(_ batch: StoreBatch, at now: Instant) -> Bool {
        guard open(at: now), let database else { return false }
        do throws(StoreFailure) {
            try database.commit(batch)
        } catch {
            failed(error, at: now)
            return false
        }
        _ = availability.succeeded()
        failure = nil
        return true
    }

    /// Opens the file, if the disk may be tried now.
    private func open(at now: Instant) -> Bool {
        guard failure?.cause != .newer, availability.mayTry(at: now) else { return false }
        guard database == nil else { return true }
        do throws(StoreFailure) {
            database = try opened()
            return true
        } catch {
            failed(error, at: now)
            return false
        }
    }

    private func opened() throws(StoreFailure) -> StoreDatabase {
        do throws(Errno) {
            try File.makeFolders(File.folder(of: path))
            try SQLiteFile.makePrivate(path)
        } catch {
            throw StoreFailure(.unavailable, "cannot create the store \(path): \(error)")
        }
        guard !SQLiteFile.hidesCommits(path) else {
            throw StoreFailure(.corrupt, "the write-ahead log is damaged before its last commits")
        }
        return try StoreDatabase(path: path, schema: schema, merge: merge)
    }

    private func failed(_ error: StoreFailure, at now: Instant) {
        failure = error
        _ = availability.failed(at: now)
    }
}
