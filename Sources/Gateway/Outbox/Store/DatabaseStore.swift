import SQLite
import Sightings

/// A store in an SQLite file with a write-ahead log. Each commit is flushed to the disk. No other process can open the file.
final class DatabaseStore: BatchStore {
    private let database: SQLiteDatabase
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var claimed: Int64 = 0
    /// The highest row number ever used.
    private var last: Int64 = 0

    /// The application's mark in the file header: "SLob" (sqlite.org/fileformat2.html, section 1.3).
    private static let application: Int64 = 0x534c_6f62
    /// The version of the tables. Bodies and headers have versions of their own.
    private static let version: Int64 = 2
    static let page = 4096
    private static let slack = 32 << 20
    private static let highestRow: Int64 = 1 << 53

    /// - Parameter maxBytes: the size limit of the rows; the file's own limit is higher.
    init(path: String, maxBytes: Int) throws(BatchStoreFailure) {
        do throws(SQLiteError) {
            database = try SQLiteDatabase(path: path)
            // Exclusive: no shared-memory file, and a second agent gets an error immediately.
            try database.run(
                """
                PRAGMA locking_mode=EXCLUSIVE; PRAGMA page_size=\(Self.page);
                PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=256;
                PRAGMA journal_size_limit=1048576; PRAGMA cache_size=-512;
                PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON; PRAGMA secure_delete=ON;
                \(Self.limit(to: maxBytes))
                """)
        } catch {
            throw BatchStoreFailure(error)
        }
        try prepare()
        try recount()
    }

    /// `BoundedStore` keeps the limit of the rows. The file's limit must not reject unacknowledged batches.
    private static func limit(to maxBytes: Int) -> String {
        let pages = (maxBytes + slack) / page
        return "PRAGMA max_page_count=\(pages + pages / 8);"
    }

    // SQLite clamps the limit to the current size.
    func limit(to maxBytes: Int) { try? database.run(Self.limit(to: maxBytes)) }

    private func prepare() throws(BatchStoreFailure) {
        let application = try number("PRAGMA application_id")
        let version = try number("PRAGMA user_version")
        if application == 0, version == 0, try number("SELECT count(*) FROM sqlite_schema") == 0 {
            // AUTOINCREMENT never uses a number again. `claimed` has two rows and the larger one counts: a damaged one
            // must not release batches that may have been sent.
            try run(
                """
                BEGIN IMMEDIATE;
                PRAGMA application_id=\(Self.application); PRAGMA user_version=\(Self.version);
                CREATE TABLE parcels(id INTEGER PRIMARY KEY AUTOINCREMENT, head BLOB NOT NULL,
                  body BLOB NOT NULL);
                CREATE TABLE losses(body BLOB NOT NULL);
                CREATE TABLE claimed(id INTEGER NOT NULL);
                INSERT INTO claimed VALUES(0),(0);
                COMMIT;
                """)
        } else if application != Self.application || version != Self.version {
            throw BatchStoreFailure(.corrupt, "the file is not an outbox of this version")
        }
    }

    /// Reads the counts from the tables. An error leaves them unchanged.
    private func recount() throws(BatchStoreFailure) {
        let costs = try query("SELECT length(body) FROM parcels", read: Self.cost)
        let claimed = try number("SELECT max(id) FROM claimed")
        let last = max(
            try number("SELECT max(id) FROM parcels"),
            try number("SELECT seq FROM sqlite_sequence WHERE name='parcels'"))
        guard claimed >= 0, claimed <= last, last < Self.highestRow else {
            throw BatchStoreFailure(.corrupt, "a claimed row never existed")
        }
        count = costs.count
        bytes = costs.reduce(0, &+)
        self.claimed = claimed
        self.last = last
    }

    private func run(_ text: String) throws(BatchStoreFailure) {
        do throws(SQLiteError) { try database.run(text) } catch { throw BatchStoreFailure(error) }
    }

    private func run(_ text: String, _ values: [SQLiteDatabase.Value]) throws(BatchStoreFailure) {
        _ = try query(text, values) { _ in }
    }

    private func query<Result>(
        _ text: String, _ values: [SQLiteDatabase.Value] = [],
        read: (SQLiteDatabase.Row) -> Result
    ) throws(BatchStoreFailure) -> [Result] {
        var results: [Result] = []
        do throws(SQLiteError) {
            try database.query(text, values) { results.append(read($0)) }
        } catch {
            throw BatchStoreFailure(error)
        }
        return results
    }

    private func number(_ text: String) throws(BatchStoreFailure) -> Int64 {
        try query(text) { $0.integer(0) }.first ?? 0
    }

    func begin() throws(BatchStoreFailure) { try run("BEGIN IMMEDIATE") }

    func commit() throws(BatchStoreFailure) { try run("COMMIT") }

    func rollback() {
        if database.isInTransaction { try? run("ROLLBACK") }
        try? recount()
    }

    func close() { database.close() }

    func append(_ header: BatchHeader, _ body: [UInt8]) throws(BatchStoreFailure) -> Int64 {
        let id = last + 1
        try run(
            "INSERT INTO parcels VALUES(?,?,?)",
            [.integer(id), .bytes(header.with(id: id).encoded), .bytes(body)])
        last = id
        count += 1
        bytes &+= BatchHeader.cost(ofBody: body.count)
        return id
    }

    func replace(_ id: Int64, _ header: BatchHeader, _ body: [UInt8]) throws(BatchStoreFailure) {
        let before = try query(
            "SELECT length(body) FROM parcels WHERE id=?", [.integer(id)], read: Self.cost)
        try run(
            "UPDATE parcels SET head=?,body=? WHERE id=?",
            [.bytes(header.with(id: id).encoded), .bytes(body), .integer(id)])
        bytes &+= BatchHeader.cost(ofBody: body.count) &- (try one(before, id))
    }

    func remove(_ ids: [Int64]) throws(BatchStoreFailure) {
        for id in ids {
            let before = try query(
                "DELETE FROM parcels WHERE id=? RETURNING length(body)", [.integer(id)],
                read: Self.cost)
            bytes &-= try one(before, id)
            count -= 1
        }
    }

    private static func cost(_ row: SQLiteDatabase.Row) -> Int {
        BatchHeader.cost(ofBody: Int(clamping: row.integer(0)))
    }

    /// SQLite does not find a row that damage has moved out of order.
    private func one<Result>(_ results: [Result], _ id: Int64) throws(BatchStoreFailure) -> Result {
        guard let result = results.first else {
            throw BatchStoreFailure(.corrupt, "row \(id) is missing")
        }
        return result
    }

    func headers(after id: Int64, limit: Int) throws(BatchStoreFailure) -> [BatchHeader] {
        let found = try query(
            "SELECT id,head FROM parcels WHERE id>? ORDER BY id LIMIT ?",
            [.integer(id), .integer(Int64(clamping: limit))]
        ) { (id: $0.integer(0), head: $0.bytes(1)) }
        var headers: [BatchHeader] = []
        for (row, head) in found {
            let header = try header(head, of: row)
            guard headers.last?.id ?? id < row, header.id == row else {
                throw BatchStoreFailure(.corrupt, "rows are out of order")
            }
            headers.append(header)
        }
        return headers
    }

    /// Decodes a header. The body replaces a damaged one.
    private func header(_ head: [UInt8], of id: Int64) throws(BatchStoreFailure) -> BatchHeader {
        if let header = try? BatchHeader(decoding: head) { return header }
        guard let body = try body(of: id), let stored = try? StoredBatch(decoding: body) else {
            throw BatchStoreFailure(.corrupt, "header and body of row \(id) are damaged")
        }
        // The body does not contain whether the batch was sent.
        return BatchHeader(of: stored, isFinal: true).with(id: id)
    }

    func body(of id: Int64) throws(BatchStoreFailure) -> [UInt8]? {
        try query("SELECT body FROM parcels WHERE id=?", [.integer(id)]) { $0.bytes(0) }.first
    }

    func claim(upTo id: Int64) throws(BatchStoreFailure) {
        try run("UPDATE claimed SET id=?", [.integer(id)])
        claimed = id
    }

    func losses() throws(BatchStoreFailure) -> [String: Loss] {
        var losses: [String: Loss] = [:]
        for body in try query("SELECT body FROM losses", read: { $0.bytes(0) }) {
            guard let (session, loss) = try? Loss.decoding(body) else {
                throw BatchStoreFailure(.corrupt, "a stored loss is damaged")
            }
            losses[session] = loss
        }
        return losses
    }

    func set(_ losses: [String: Loss]) throws(BatchStoreFailure) {
        try run("DELETE FROM losses")
        for (session, loss) in losses {
            try run("INSERT INTO losses VALUES(?)", [.bytes(loss.encoded(of: session))])
        }
    }
}

extension BatchStoreFailure {
    init(_ error: SQLiteError) {
        self.init(error.isCorruption ? .corrupt : .unavailable, error.description)
    }
}
