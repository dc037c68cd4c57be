import Beacon
import Sighting

/// A store in an SQLite file: written ahead (WAL), flushed at each commit, ours alone while it is open.
final class DatabaseStore: Store {
    private let database: Database
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var claimed: Int64 = 0

    /// Our own mark in the file's header: "SLob" (sqlite.org/fileformat2.html, section 1.3).
    private static let application: Int64 = 0x534c_6f62
    /// Of the tables; what a body holds has a version of its own.
    private static let version: Int64 = 1
    private static let page = 4096
    private static let slack = 32 << 20

    /// - Parameter maxBytes: what the rows may take; the file ends somewhat later, whatever happens.
    init(path: String, maxBytes: Int) throws(StoreFailure) {
        database = try Database(path: path)
        // What is on its way must not be dropped, however large: the bound of the rows is kept by who puts them in.
        let pages = (maxBytes + Self.slack) / Self.page
        // Exclusive: no file for shared memory, and a second agent is noticed at once.
        try database.run(
            """
            PRAGMA locking_mode=EXCLUSIVE; PRAGMA page_size=\(Self.page); PRAGMA journal_mode=WAL;
            PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=256; PRAGMA journal_size_limit=1048576;
            PRAGMA cache_size=-512; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON;
            PRAGMA max_page_count=\(pages + pages / 8);
            """)
        try prepare()
        try recount()
    }

    private func prepare() throws(StoreFailure) {
        let application = try number("PRAGMA application_id")
        let version = try number("PRAGMA user_version")
        if application == 0, version == 0, try number("SELECT count(*) FROM sqlite_schema") == 0 {
            // AUTOINCREMENT: a place is never used again. Claimed twice, and the larger counts: damaged, it must not let
            // go what may have been sent.
            try database.run(
                """
                BEGIN IMMEDIATE;
                PRAGMA application_id=\(Self.application); PRAGMA user_version=\(Self.version);
                CREATE TABLE parcels(id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL,
                  first INTEGER NOT NULL, last INTEGER NOT NULL, frozen INTEGER NOT NULL,
                  start INTEGER NOT NULL, end INTEGER NOT NULL, stamp INTEGER NOT NULL,
                  synced INTEGER NOT NULL, deaf INTEGER NOT NULL, part INTEGER, parts INTEGER,
                  loss INTEGER NOT NULL, cost INTEGER NOT NULL, body BLOB NOT NULL);
                CREATE TABLE losses(session TEXT PRIMARY KEY, batches INTEGER NOT NULL,
                  first INTEGER NOT NULL, last INTEGER NOT NULL, reason TEXT NOT NULL);
                CREATE TABLE claimed(id INTEGER NOT NULL);
                INSERT INTO claimed VALUES(0),(0);
                COMMIT;
                """)
        } else if application != Self.application || version != Self.version {
            throw StoreFailure(.damaged, "the file is not an outbox of this version's")
        }
    }

    /// What `count` and `bytes` are kept up to date from.
    private func recount() throws(StoreFailure) {
        count = Int(clamping: try number("SELECT count(*) FROM parcels"))
        bytes = Int(clamping: try number("SELECT coalesce(sum(cost), 0) FROM parcels"))
        claimed = try number("SELECT max(id) FROM claimed")
    }

    private func number(_ text: String) throws(StoreFailure) -> Int64 {
        try database.query(text) { $0.integer(0) }.first ?? 0
    }

    func begin() throws(StoreFailure) { try database.run("BEGIN IMMEDIATE") }

    func commit() throws(StoreFailure) { try database.run("COMMIT") }

    func rollback() {
        if database.isInTransaction { try? database.run("ROLLBACK") }
        try? recount()
    }

    func close() { database.close() }

    func append(_ row: Row, _ body: [UInt8]) throws(StoreFailure) -> Int64 {
        let cost = Row.cost(ofBody: body.count)
        try database.run(
            """
            INSERT INTO parcels(session,first,last,frozen,start,end,stamp,synced,deaf,part,parts,loss,cost,body)
            VALUES(?,?,?,?,?,?,?,?,?,nullif(?,-1),nullif(?,-1),?,?,?)
            """, row.values + [.integer(Int64(cost)), .bytes(body)])
        count += 1
        bytes &+= cost
        return database.lastRow
    }

    func replace(_ id: Int64, _ row: Row, _ body: [UInt8]) throws(StoreFailure) {
        let before = try cost(of: id)
        let cost = Row.cost(ofBody: body.count)
        try database.run(
            """
            UPDATE parcels SET session=?,first=?,last=?,frozen=?,start=?,end=?,stamp=?,synced=?,deaf=?,
            part=nullif(?,-1),parts=nullif(?,-1),loss=?,cost=?,body=? WHERE id=?
            """, row.values + [.integer(Int64(cost)), .bytes(body), .integer(id)])
        bytes &+= cost &- before
    }

    func remove(_ ids: [Int64]) throws(StoreFailure) {
        for id in ids {
            let cost = try database.query(
                "DELETE FROM parcels WHERE id=? RETURNING cost", [.integer(id)]
            ) { $0.integer(0) }
            count -= cost.count
            bytes &-= cost.reduce(0) { $0 &+ Int(clamping: $1) }
        }
    }

    private func cost(of id: Int64) throws(StoreFailure) -> Int {
        let cost = try database.query(
            "SELECT cost FROM parcels WHERE id=?", [.integer(id)]
        ) { Int(clamping: $0.integer(0)) }
        return cost.first ?? 0
    }

    func rows(after id: Int64, limit: Int) throws(StoreFailure) -> [Row] {
        try database.query(
            """
            SELECT id,session,first,last,frozen,start,end,stamp,synced,deaf,part,parts,loss FROM parcels
            WHERE id>? ORDER BY id LIMIT ?
            """, [.integer(id), .integer(Int64(clamping: limit))]
        ) { Row($0) }
    }

    func body(of id: Int64) throws(StoreFailure) -> [UInt8]? {
        try database.query("SELECT body FROM parcels WHERE id=?", [.integer(id)]) {
            $0.bytes(0)
        }.first
    }

    func claim(upTo id: Int64) throws(StoreFailure) {
        try database.run("UPDATE claimed SET id=?", [.integer(id)])
        claimed = id
    }

    func losses() throws(StoreFailure) -> [String: Loss] {
        let all = try database.query(
            "SELECT session,batches,first,last,reason FROM losses"
        ) { Self.loss($0) }
        return Dictionary(all) { first, _ in first }
    }

    /// Reads a row of the table `losses`.
    static func loss(_ row: Database.Columns) -> (session: String, loss: Loss) {
        let loss = Loss(
            batches: UInt64(bitPattern: row.integer(1)),
            fromSeq: UInt64(bitPattern: row.integer(2)),
            toSeq: UInt64(bitPattern: row.integer(3)), reason: Loss.Reason(rawValue: row.text(4)))
        return (row.text(0), loss)
    }

    func set(_ losses: [String: Loss]) throws(StoreFailure) {
        try database.run("DELETE FROM losses")
        for (session, loss) in losses {
            try database.run(
                "INSERT INTO losses VALUES(?,?,?,?,?)",
                [
                    .text(session), .integer(Int64(bitPattern: loss.batches)),
                    .integer(Int64(bitPattern: loss.fromSeq)),
                    .integer(Int64(bitPattern: loss.toSeq)), .text(loss.reason.rawValue),
                ])
        }
    }
}

extension Row {
    /// The bits of the column `deaf`; files of before have the first alone.
    private static let deaf: Int64 = 1 << 0
    private static let retuned: Int64 = 1 << 1
    /// As the column of that name says, which no seal protects: a damaged one must not let go what may have been sent.
    private static let frozen: Int64 = 1 << 2

    /// What that column says of the other.
    static func saysFrozen(_ kind: Int64) -> Bool { kind & frozen != 0 }

    private var kind: Int64 {
        (state == .deaf ? Self.deaf : 0) | (isRetuned ? Self.retuned : 0)
            | (isFrozen ? Self.frozen : 0)
    }

    /// The columns from `session` to `loss`, −1 for no part.
    fileprivate var values: [Database.Value] {
        [
            .text(session), .integer(Int64(bitPattern: numbers.lowerBound)),
            .integer(Int64(bitPattern: numbers.upperBound)), .integer(isFrozen ? 1 : 0),
            .integer(interval.start.microseconds), .integer(interval.end.microseconds),
            .integer(stamp.offset), .integer(stamp.clock == .synced ? 1 : 0),
            .integer(kind), .integer(part.map { Int64($0.index) } ?? -1),
            .integer(part.map { Int64($0.of) } ?? -1), .integer(hasLoss ? 1 : 0),
        ]
    }

    fileprivate init(_ row: Database.Columns) {
        let first = UInt64(bitPattern: row.integer(2))
        let last = UInt64(bitPattern: row.integer(3))
        let kind = row.integer(9)
        self.init(
            id: row.integer(0), session: row.text(1), numbers: min(first, last)...max(first, last),
            isFrozen: row.integer(4) != 0 || Self.saysFrozen(kind),
            interval: Interval(start: row.instant(5), end: row.instant(6)),
            stamp: Stamp(
                offset: row.integer(7), clock: row.integer(8) != 0 ? .synced : .unsynced),
            state: kind & Self.deaf != 0 ? .deaf : .hearing, isRetuned: kind & Self.retuned != 0,
            part: row.isNull(10) || row.isNull(11)
                ? nil
                : Batch.Part(
                    index: Int(UInt32(clamping: row.integer(10))),
                    of: Int(UInt32(clamping: row.integer(11)))),
            hasLoss: row.integer(12) != 0)
    }
}

extension Database.Columns {
    /// A time that can be reckoned with, whatever has become of the file; what is wrong does not fit to its body.
    fileprivate func instant(_ column: CInt) -> Instant {
        Instant(microseconds: max(-1 << 61, min(integer(column), 1 << 61)))
    }
}
