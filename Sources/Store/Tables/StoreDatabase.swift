import Posix
import Primitives
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

    func close() { connection.close() }

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
        for fact in batch.facts { try write(fact) }
        for one in batch.receipts {
            try connection.run(
                """
                INSERT INTO receipts(queue,at,till,count) VALUES(?,?,?,?)
                ON CONFLICT DO UPDATE SET count=max(count,excluded.count)
                """,
                [
                    .integer(try queue(one.queue, one.site)), .time(one.receipt.time),
                    .text(one.receipt.till), .integer(one.receipt.count),
                ])
        }
        try write(batch.minutes)
        for visit in batch.visits {
            try connection.run(
                "INSERT OR IGNORE INTO visits(queue,entered,left,tag,document) VALUES(?,?,?,?,?)",
                [
                    .integer(try queue(visit.queue, visit.site)), .time(visit.entered),
                    .time(visit.left),
                    .integer(Int64(bitPattern: visit.tag?.rawValue ?? 0)), .bytes(visit.document),
                ])
        }
        for levels in batch.levels {
            try connection.run(
                "INSERT OR IGNORE INTO site_days(site,start,levels) VALUES(?,?,?)",
                [.integer(try site(levels.site)), .time(levels.day), .bytes(levels.levels)])
        }
        for visits in batch.visitCounts {
            try connection.run(
                """
                INSERT INTO visit_counts(queue,day,count,method) VALUES(?,?,?,?)
                ON CONFLICT DO UPDATE SET method=excluded.method,
                count=iif(method=excluded.method,max(count,excluded.count),excluded.count)
                """,
                [
                    .integer(try queue(visits.queue, visits.site)), .time(visits.day),
                    .integer(Int64(visits.count)), .text(visits.method),
                ])
        }
        for (counter, count) in batch.counts {
            try connection.run(
                """
                INSERT INTO counters(site,gateway,outcome,count) VALUES(?,?,?,?)
                ON CONFLICT DO UPDATE SET count=count+excluded.count
                """,
                [
                    .integer(try site(counter.site)), .text(counter.gateway),
                    .text(counter.outcome), .integer(count),
                ])
        }
    }

    private func write(_ fact: StoreBatch.Fact) throws(SQLiteError) {
        let site = try site(fact.site)
        try connection.run(
            "INSERT OR IGNORE INTO facts(site,start,source,number,body) VALUES(?,?,?,?,?)",
            [
                .integer(site), .time(fact.start), .integer(try source(of: fact, site)),
                .integer(Int64(bitPattern: fact.number)), .bytes(fact.body),
            ])
    }

    /// The number of a site, which it gets with its first row.
    func site(_ name: String) throws(SQLiteError) -> Int64 {
        if let id = sites[name] { return id }
        let found = try connection.number("SELECT id FROM sites WHERE name=?", [.text(name)])
        let id =
            if let found { found } else {
                try inserted(
                    "INSERT INTO sites(name,shard) VALUES(?,?) RETURNING id",
                    [.text(name), .integer(Shard.of(name))])
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
                try inserted("INSERT INTO queues(site,name) VALUES(?,?) RETURNING id", values)
            }
        queues[site, default: [:]][name] = id
        return id
    }

    private func source(of fact: StoreBatch.Fact, _ site: Int64) throws(SQLiteError) -> Int64 {
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
        let id = try inserted(
            "INSERT INTO sources(site,gateway,session,newest) VALUES(?,?,?,?) RETURNING id",
            [.integer(site), .text(fact.gateway), .text(fact.session), .time(newest)])
        sources[key] = Source(id: id, newest: newest)
        return id
    }

    /// Removes sessions without facts.
    func forgetSources(before start: UnixTime) throws(SQLiteError) {
        try connection.run("DELETE FROM sources WHERE newest<?", [.time(start)])
        sources = sources.filter { $0.value.newest >= start }
    }

    private func inserted(
        _ text: String, _ values: [SQLiteDatabase.Value]
    ) throws(SQLiteError) -> Int64 {
        guard let id = try connection.number(text, values) else {
            throw SQLiteError(code: 1, message: "no row was inserted")
        }
        return id
    }
}
