import Posix
import PostgreSQL
import Primitives
import ResultStore

/// The server's store in a PostgreSQL database.
///
/// A batch is in the database, or its messages stay with the broker: another machine may have to go
/// on with them, so `commit` never keeps a batch in memory. Calls wait for the database, within
/// limits: three seconds for a connection, five for an answer. A lost connection is made again at
/// once, and then after pauses of 1 to 30 seconds.
package final class PostgresStore: RowStore {
    package var retention: StoreRetention
    private let settings: String
    private let merge: SummaryMerge
    private var database: PostgresDatabase?
    private var failure: StoreFailure?
    private var backoff = Backoff(base: .seconds(1), cap: .seconds(30))
    private var nextAttempt: Instant?
    /// The owner's last time, for reads.
    private var clock: Instant
    private var events: [StoreEvent] = []
    private var ledger = CommitLedger()

    private let limit: Duration

    /// - Parameters:
    ///   - settings: a connection string of libpq.
    ///   - limit: of an answer.
    init(
        _ settings: String, retention: StoreRetention = StoreRetention(),
        limit: Duration = .seconds(5), at now: Instant, merge: @escaping SummaryMerge
    ) {
        self.limit = limit
        self.settings = settings
        self.retention = retention
        self.merge = merge
        clock = now
        _ = open(at: now)
    }

    package let pending = StoreBatch()

    package var state: StoreState {
        guard let failure else { return .durable }
        return failure.cause == .newer
            ? .refused(reason: failure.description)
            : .unavailable(reason: failure.description, nextAttempt: nextAttempt)
    }

    package var isOpen: Bool { database != nil }
    package var isReadable: Bool { isOpen }

    package func takeEvents() -> [StoreEvent] {
        defer { events = [] }
        return events
    }

    // MARK: Damage and traces

    /// PostgreSQL looks after its own files: data checksums and `pg_amcheck` find damage, and a damaged page fails its
    /// statement. Nothing is checked here.
    package var isDayChecked: Bool { true }
    package var isChecked: Bool { true }
    package func checkNext(at now: Instant) {}

    /// No file is set aside.
    package func eraseSetAside(wall: UnixTime, day: UnixTime) -> SetAsideErasure {
        SetAsideErasure()
    }

    /// Always `false`: the database decides when bytes of removed rows go. A dropped partition's
    /// files are removed at once. A row that was removed alone stays in its page until VACUUM and
    /// later rows overwrite it. Both stay in the write-ahead log and in its archive, and in
    /// backups, for as long as those are kept. Facts and visits there have pseudonyms, whose key is
    /// destroyed.
    @discardableResult
    package func forget() -> Bool { false }

    package func noteDamage(_ found: StoreFailure) {}

    // MARK: The connection

    package func retry(at now: Instant) -> Bool { open(at: now) }

    package func close() {
        database?.connection.close()
        database = nil
    }

    private func open(at now: Instant) -> Bool {
        clock = now
        guard failure?.cause != .newer, nextAttempt.map({ $0 <= now }) ?? true else {
            return false
        }
        guard database == nil else { return true }
        do throws(StoreFailure) {
            let database = try PostgresDatabase(settings, limit: limit, merge: merge)
            ledger.settle(database.last)
            self.database = database
            succeeded()
            return true
        } catch {
            failed(error, at: now)
            return false
        }
    }

    private func succeeded() {
        if nextAttempt != nil { events.append(.available) }
        (failure, nextAttempt) = (nil, nil)
        backoff.reset()
    }

    private func failed(_ error: StoreFailure, at now: Instant) {
        if nextAttempt == nil { events.append(.unavailable(reason: error.description)) }
        failure = error
        nextAttempt = now + backoff.delay(random: .max)
    }

    /// - Returns: whether the connection is lost, and another attempt is worth it.
    private func isLost(_ error: PostgresError) -> Bool {
        guard error.isLost else { return false }
        close()
        failure = StoreFailure(error)
        return true
    }

    // MARK: Rows

    package func commit(_ batch: StoreBatch, at now: Instant) -> StoreOutcome {
        // A connection may have ended since the last commit.
        for isLast in [false, true] {
            guard open(at: now), let database else { return .refused }
            var fresh = batch
            fresh.counts = ledger.uncounted(batch.counts)
            do throws(PostgresError) {
                try database.commit(
                    fresh, writer: ledger.writer, number: ledger.begin(fresh.counts))
                ledger.end(batch.counts, fresh.counts)
                succeeded()
                return .durable
            } catch {
                if !isLost(error) || isLast {
                    failed(StoreFailure(error), at: now)
                    return .refused
                }
            }
        }
        return .refused
    }

    package func expire(at now: Instant, wall: UnixTime, day: UnixTime) -> Bool {
        guard failure == nil, open(at: now), let database else { return false }
        do throws(PostgresError) {
            return try database.expire(retention, at: wall, day: day)
        } catch {
            if !isLost(error) { failed(StoreFailure(error), at: now) }
            return false
        }
    }

    package func read<Result>(
        _ work: (PostgresDatabase) throws(PostgresError) -> Result
    ) throws(StoreFailure) -> Result? {
        for isLast in [false, true] {
            guard open(at: clock), let database else { break }
            do throws(PostgresError) { return try work(database) } catch {
                if !isLost(error) || isLast { throw StoreFailure(error) }
            }
        }
        throw failure ?? StoreFailure(.unavailable, "the database is not connected")
    }
}

/// What became of commits: a connection that is lost during one leaves its end unknown.
///
/// Facts and results may come again. Counters may not: those of a commit that proves done are left
/// out of the next ones, since the owner counts a refused batch again.
struct CommitLedger {
    /// The number of this run of the server.
    let writer = Int64.random(in: 1...Int64.max)
    private var number: Int64 = 0
    private var begun: (number: Int64, counts: [StoreBatch.Counter: Int64])?
    /// What the database has already, and the owner counts again.
    private var counted: [StoreBatch.Counter: Int64] = [:]

    /// - Returns: the number of the commit.
    mutating func begin(_ counts: [StoreBatch.Counter: Int64]) -> Int64 {
        number += 1
        begun = (number, counts)
        return number
    }

    /// A commit is done.
    ///
    /// - Parameters:
    ///   - all: the counts of the owner's batch.
    ///   - fresh: those of them that were written.
    mutating func end(
        _ all: [StoreBatch.Counter: Int64], _ fresh: [StoreBatch.Counter: Int64]
    ) {
        begun = nil
        for (counter, count) in all {
            let left = (counted[counter] ?? 0) - (count - (fresh[counter] ?? 0))
            counted[counter] = left > 0 ? left : nil
        }
    }

    /// A new connection shows the last commit that the database has.
    mutating func settle(_ last: (writer: Int64, number: Int64)) {
        if let begun, last == (writer, begun.number) {
            counted.merge(begun.counts, uniquingKeysWith: &+)
        }
        begun = nil
    }

    /// The counts that the database does not have.
    func uncounted(
        _ counts: [StoreBatch.Counter: Int64]
    ) -> [StoreBatch.Counter: Int64] {
        guard !counted.isEmpty else { return counts }
        var fresh: [StoreBatch.Counter: Int64] = [:]
        for (counter, count) in counts {
            let left = count - min(count, counted[counter] ?? 0)
            if left > 0 { fresh[counter] = left }
        }
        return fresh
    }
}
