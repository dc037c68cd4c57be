import Beacons
import Sightings

/// A store in an SQLite file: written ahead (WAL), flushed at each commit, ours alone while it is open.
final class DatabaseStore: Store {
    private let database: Database
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var claimed: Int64 = 0
    /// The highest place that was ever given.
    private var last: Int64 = 0

    /// Our own mark in the file's header: "SLob" (sqlite.org/fileformat2.html, section 1.3).
    private static let application: Int64 = 0x534c_6f62
    /// Of the tables; what a body holds has a version of its own.
    private static let version: Int64 = 2
    private static let page = 4096
    private static let slack = 32 << 20
    private static let mostBelievable: Int64 = 1 << 53

    /// - Parameter maxBytes: what the rows may take; the file ends somewhat later, whatever happens.
    init(path: String, maxBytes: Int) throws(StoreFailure) {
        database = try Database(path: path)
        // Exclusive: no file for shared memory, and a second agent is noticed at once.
        try database.run(
            """
            PRAGMA locking_mode=EXCLUSIVE; PRAGMA page_size=\(Self.page); PRAGMA journal_mode=WAL;
            PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=256; PRAGMA journal_size_limit=1048576;
            PRAGMA cache_size=-512; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON;
            \(Self.limit(to: maxBytes))
            """)
        try prepare()
        try recount()
    }

    /// What is on its way must not be dropped, however large: the bound of the rows is kept by who puts them in.
    private static func limit(to maxBytes: Int) -> String {
        let pages = (maxBytes + slack) / page
        return "PRAGMA max_page_count=\(pages + pages / 8);"
    }

    func bound(to maxBytes: Int) {
        // SQLite takes any number, and never one below what there is.
        try? database.run(Self.limit(to: maxBytes))
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
                CREATE TABLE parcels(id INTEGER PRIMARY KEY AUTOINCREMENT, head BLOB NOT NULL,
                  body BLOB NOT NULL);
                CREATE TABLE losses(body BLOB NOT NULL);
                CREATE TABLE claimed(id INTEGER NOT NULL);
                INSERT INTO claimed VALUES(0),(0);
                COMMIT;
                """)
        } else if application != Self.application || version != Self.version {
            throw StoreFailure(.damaged, "the file is not an outbox of this version's")
        }
    }

    /// What `count`, `bytes` and `last` are kept up to date from; nothing of it changes where that can't be read.
    private func recount() throws(StoreFailure) {
        let costs = try database.query("SELECT length(body) FROM parcels", row: Self.cost)
        let claimed = try number("SELECT max(id) FROM claimed")
        let last = max(
            try number("SELECT max(id) FROM parcels"),
            try number("SELECT seq FROM sqlite_sequence WHERE name='parcels'"))
        guard claimed >= 0, claimed <= last, last < Self.mostBelievable else {
            throw StoreFailure(.damaged, "a row was claimed that there never was")
        }
        count = costs.count
        bytes = costs.reduce(0, &+)
        self.claimed = claimed
        self.last = last
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
        var row = row
        row.id = last + 1
        try database.run(
            "INSERT INTO parcels VALUES(?,?,?)",
            [.integer(row.id), .bytes(row.encoded), .bytes(body)])
        last = row.id
        count += 1
        bytes &+= Row.cost(ofBody: body.count)
        return row.id
    }

    func replace(_ id: Int64, _ row: Row, _ body: [UInt8]) throws(StoreFailure) {
        let before = try database.query(
            "SELECT length(body) FROM parcels WHERE id=?", [.integer(id)], row: Self.cost)
        var row = row
        row.id = id
        try database.run(
            "UPDATE parcels SET head=?,body=? WHERE id=?",
            [.bytes(row.encoded), .bytes(body), .integer(id)])
        bytes &+= Row.cost(ofBody: body.count) &- (try one(before, id))
    }

    func remove(_ ids: [Int64]) throws(StoreFailure) {
        for id in ids {
            let before = try database.query(
                "DELETE FROM parcels WHERE id=? RETURNING length(body)", [.integer(id)],
                row: Self.cost)
            bytes &-= try one(before, id)
            count -= 1
        }
    }

    private static func cost(_ row: Database.Columns) -> Int {
        Row.cost(ofBody: Int(clamping: row.integer(0)))
    }

    /// What is there once: a row out of its order is there, and yet not found.
    private func one<Answer>(_ answers: [Answer], _ id: Int64) throws(StoreFailure) -> Answer {
        guard let answer = answers.first else {
            throw StoreFailure(.damaged, "row \(id) is not where it was stored")
        }
        return answer
    }

    func rows(after id: Int64, limit: Int) throws(StoreFailure) -> [Row] {
        let found = try database.query(
            "SELECT id,head FROM parcels WHERE id>? ORDER BY id LIMIT ?",
            [.integer(id), .integer(Int64(clamping: limit))]
        ) { (id: $0.integer(0), head: $0.bytes(1)) }
        var rows: [Row] = []
        var before = id
        for (id, head) in found {
            let row = try row(head, of: id)
            guard before < id, row.id == id else {
                throw StoreFailure(.damaged, "rows are out of their order")
            }
            rows.append(row)
            before = id
        }
        return rows
    }

    /// What a head says; where it is damaged, what the body says.
    private func row(_ head: [UInt8], of id: Int64) throws(StoreFailure) -> Row {
        if let row = try? Row(decoding: head) { return row }
        guard let body = try body(of: id), let parcel = try? Parcel(decoding: body) else {
            throw StoreFailure(.damaged, "neither head nor body of row \(id) can be read")
        }
        // Nobody knows whether it was handed out.
        var row = Row(of: parcel, isFrozen: true)
        row.id = id
        return row
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
        var losses: [String: Loss] = [:]
        for body in try database.query("SELECT body FROM losses", row: { $0.bytes(0) }) {
            guard let (session, loss) = try? Loss.decoding(body) else {
                throw StoreFailure(.damaged, "a loss that was written down can't be read")
            }
            losses[session] = loss
        }
        return losses
    }

    func set(_ losses: [String: Loss]) throws(StoreFailure) {
        try database.run("DELETE FROM losses")
        for (session, loss) in losses {
            try database.run(
                "INSERT INTO losses VALUES(?)", [.bytes(loss.encoded(of: session))])
        }
    }
}
