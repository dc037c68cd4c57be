import Facts
import Posix
import Primitives
import Queueing
import ResultStore
import SQLite

/// The open file of the store: its tables, and the numbers of sites, queues and sources.
///
/// Each commit is flushed to the disk. Other processes can read the file meanwhile.
final class StoreDatabase {
    let connection: SQLiteDatabase
    /// Merges the sums of minutes into an hour's, and of hours into a day's.
    let merge: SummaryMerge
    let path: String
    private let identity: FileIdentity?
    /// Of the log and its index.
    private let log: [FileIdentity?]
    /// The bytes of the log's index that SQLite may have mapped.
    private var indexBytes: Int64 = 0
    /// The log's index, once it was restored. Closed after the connection: to close it ends the locks of this process (fcntl(2)).
    private var index: Descriptor?
    private var sites: [String: Int64] = [:]
    private var queues: [Int64: [String: Int64]] = [:]
    private var sources: [SourceKey: Source] = [:]

    private struct SourceKey: Hashable {
        let site: Int64
        let gateway: String
        let session: String
    }

    /// A session of a gateway.
    private struct Source {
        let id: Int64
        /// No fact of it is newer than this.
        var newest: UnixTime
    }

    /// The stored `newest` is ahead by so much, so that it seldom changes.
    private static let ahead = Duration.seconds(3600)

    static let page = 4096

    init(
        path: String, schema: StoreSchema, merge: @escaping SummaryMerge
    ) throws(StoreFailure) {
        self.merge = merge
        self.path = path
        do throws(SQLiteError) {
            connection = try SQLiteDatabase(path: path)
            // Only here: SQLite writes this setting to an existing file each time.
            let new = "PRAGMA page_size=\(Self.page); PRAGMA auto_vacuum=INCREMENTAL;"
            if File.size(path) == 0 { try connection.run(new) }
            try connection.run(
                """
                PRAGMA busy_timeout=100; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
                PRAGMA wal_autocheckpoint=512; PRAGMA journal_size_limit=4194304;
                PRAGMA cache_size=-2048; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON;
                PRAGMA secure_delete=ON;
                """)
        } catch {
            throw StoreFailure(error)
        }
        identity = FileIdentity(of: path)
        try StoreMigration(path: path, schema: schema).run(on: connection)
        log = Self.log(of: path)
    }

    /// Whether the file is still the one at its path: SQLite goes on writing to a removed file.
    var isInPlace: Bool { identity != nil && identity == FileIdentity(of: path) }

    /// Whether the log is still the one beside the file: SQLite goes on writing to a removed log, which a kill loses.
    var hasLog: Bool { log == Self.log(of: path) }

    private static func log(of path: String) -> [FileIdentity?] {
        ["-wal", "-shm"].map { FileIdentity(of: path + $0) }
    }

    /// Gives the index of the log its length back, if another program has truncated it: the kernel ends a process that reads
    /// behind the end of a mapped file (SIGBUS). SQLite then builds the index from the log.
    ///
    /// - Returns: whether it was truncated.
    func restoreIndex() -> Bool {
        guard let bytes = File.size(path + "-shm") else { return false }
        guard bytes < indexBytes else {
            indexBytes = bytes
            return false
        }
        return (try? clearIndex()) != nil
    }

    /// A part of an index would count as a whole one. The check reads it meanwhile: it never gets shorter.
    private func clearIndex() throws(Errno) {
        if index == nil { index = try Descriptor.open(updating: path + "-shm") }
        try index?.clear(bytes: Int(clamping: indexBytes))
    }

    func close() {
        connection.close()
        index = nil
    }

    /// Stores a batch wholly or not at all.
    func commit(_ batch: StoreBatch) throws(StoreFailure) {
        do throws(SQLiteError) {
            try connection.transaction { () throws(SQLiteError) in try write(batch) }
        } catch {
            // Numbers that were given in this transaction do not exist.
            sites = [:]
            queues = [:]
            sources = [:]
            throw StoreFailure(error)
        }
    }

    private func write(_ batch: StoreBatch) throws(SQLiteError) {
        try insert(batch.facts)
        try insert(batch.receipts)
        try write(batch.minutes)
        try insert(batch.visits)
        try insert(batch.levels)
        try insert(batch.visitCounts)
        try insert(batch.regionEvents)
        try insert(batch.beaconEvents)
        try insert(batch.beaconHours)
        try insert(batch.placeLabels)
        try insert(batch.regionChanges)
        try insert(batch.counts.map { StoredCount(counter: $0.key, count: $0.value) })
    }

    private func insert<Row: StoredRow>(_ rows: [Row]) throws(SQLiteError) {
        for row in rows { try insert(row) }
    }

    /// - Returns: whether the row is new or changes one.
    @discardableResult
    func insert<Row: StoredRow>(_ row: Row) throws(SQLiteError) -> Bool {
        try connection.run(Row.table.insertion, try row.values(in: self))
        return connection.changes > 0
    }

    /// The number of a site, which it gets with its first row.
    func site(_ name: String) throws(SQLiteError) -> Int64 {
        if let id = sites[name] { return id }
        let found = try connection.number("SELECT id FROM sites WHERE name=?", [.text(name)])
        let id =
            if let found { found } else {
                try number(in: .sites, [.text(name), .integer(Shard.of(name))])
            }
        sites[name] = id
        return id
    }

    /// The number of a queue, which it gets with its first row.
    func queue(_ name: String, _ siteName: String) throws(SQLiteError) -> Int64 {
        let site = try site(siteName)
        if let id = queues[site]?[name] { return id }
        let values: [SQLiteDatabase.Value] = [.integer(site), .text(name)]
        let found = try connection.number(
            "SELECT id FROM queues WHERE site=? AND name=?", values)
        let id =
            if let found { found } else {
                try number(in: .queues, values)
            }
        queues[site, default: [:]][name] = id
        return id
    }

    /// The number of a fact's session, which it gets with its first row.
    func source(of fact: StoreBatch.Fact, _ site: Int64) throws(SQLiteError) -> Int64 {
        let key = SourceKey(site: site, gateway: fact.gateway, session: fact.session)
        var source = sources[key]
        if source == nil {
            try connection.query(
                "SELECT id,newest FROM sources WHERE site=? AND gateway=? AND session=?",
                [.integer(site), .text(fact.gateway), .text(fact.session)]
            ) { source = Source(id: $0.integer(0), newest: $0.time(1)) }
        }
        let newest = fact.start + Self.ahead
        if var known = source {
            if fact.start > known.newest {
                known.newest = newest
                try connection.run(
                    "UPDATE sources SET newest=? WHERE id=?",
                    [.time(newest), .integer(known.id)])
            }
            sources[key] = known
            return known.id
        }
        let id = try number(
            in: .sources,
            [.integer(site), .text(fact.gateway), .text(fact.session), .time(newest)])
        sources[key] = Source(id: id, newest: newest)
        return id
    }

    /// Removes sessions without facts.
    func forgetSources(before start: UnixTime) throws(SQLiteError) {
        try connection.run("DELETE FROM sources WHERE newest<?", [.time(start)])
        sources = sources.filter { $0.value.newest >= start }
    }

    /// Inserts a row, and returns its number.
    private func number(
        in table: StoreTable, _ values: [SQLiteDatabase.Value]
    ) throws(SQLiteError) -> Int64 {
        guard let id = try connection.number(table.insertion + " RETURNING id", values) else {
            throw SQLiteError(code: 1, message: "no row was inserted")
        }
        return id
    }
}

extension StoreDatabase {
    /// The tills' own counts of a queue with times in `range`, in the order of time.
    func receipts(
        of queue: String, at site: String, in range: Range<UnixTime>
    ) throws(SQLiteError) -> [Receipt] {
        guard let queue = try known(queue, site) else { return [] }
        var receipts: [Receipt] = []
        try connection.query(
            "SELECT till,count,at FROM receipts WHERE queue=? AND at>=? AND at<? ORDER BY at,till",
            [.integer(queue), .time(range.lowerBound), .time(range.upperBound)]
        ) { row in
            receipts.append(
                Receipt(
                    till: row.text(0), count: row.integer(1),
                    at: UnixSecond(containing: row.time(2))))
        }
        return receipts
    }
}
