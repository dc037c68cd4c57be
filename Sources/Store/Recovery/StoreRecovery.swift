import Facts
import JSON
import Posix
import Primitives
import Queueing
import SQLite

/// Carries the readable rows of a damaged file into a new one. The damaged file gets another name (`SetAsideFiles`).
///
/// The copy of gigabytes takes minutes: it runs on a thread of its own, while the server goes on from memory.
struct StoreRecovery: Sendable {
    let file: StoreFile

    private var path: String { file.path }

    /// The new file until it is complete.
    static func draft(_ path: String) -> String { path + ".new" }

    /// A table, its columns beginning with the row's number, and the tables that they refer to.
    private struct Table: Sendable {
        let name: String
        let columns: String
        var references: [(column: CInt, table: String)] = []
        var isIntact: @Sendable (SQLiteDatabase.Row) -> Bool = { _ in true }
    }

    private static let tables = [
        Table(name: "sites", columns: "id,name,shard") { $0.integer(2) == Shard.of($0.text(1)) },
        Table(name: "queues", columns: "id,site,name", references: [(1, "sites")]),
        Table(
            name: "sources", columns: "id,site,gateway,session,newest",
            references: [(1, "sites")]),
        Table(
            name: "facts", columns: "id,site,start,source,number,body",
            references: [(1, "sites"), (3, "sources")]
        ) { row in
            let fact = try? WindowFact(
                stored: row.bytes(5), session: "", number: UInt64(bitPattern: row.integer(4)),
                start: row.time(2))
            return fact != nil
        },
        Table(name: "site_days", columns: "id,site,start,levels", references: [(1, "sites")]),
        Table(
            name: "minutes", columns: "id,queue,start,end,rev,final,mark,document,summary",
            references: [(1, "queues")]
        ) { row in
            row.integer(2) < row.integer(3) && Self.isJSON(row.bytes(7))
        },
        Table(name: "hours", columns: "id,queue,start,end,summary", references: [(1, "queues")]),
        Table(name: "days", columns: "id,queue,start,end,summary", references: [(1, "queues")]),
        Table(
            name: "visits", columns: "id,queue,entered,left,tag,document",
            references: [(1, "queues")]
        ) { Self.isJSON($0.bytes(5)) },
        Table(name: "receipts", columns: "id,queue,at,till,count", references: [(1, "queues")]),
        Table(
            name: "visit_counts", columns: "id,queue,day,count,method",
            references: [(1, "queues")]),
        Table(
            name: "counters", columns: "id,site,gateway,outcome,count",
            references: [(1, "sites")]),
    ]

    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        (try? JSON(parsing: bytes, maxBytes: 1 << 20)) != nil
    }

    /// Rows of one commit: the log stays small.
    private static let rowsPerCommit = 2000

    /// Begins the copy.
    func begin() throws(StoreFailure) -> BlockingCall<Result<Int, StoreFailure>> {
        do throws(Errno) {
            return try BlockingCall(thread: "store") {
                Result { () throws(StoreFailure) in try copy() }
            }
        } catch {
            throw StoreFailure(.unavailable, "cannot copy the damaged store: \(error)")
        }
    }

    /// Puts the new file into the place of the damaged one, whose name then ends with the time.
    ///
    /// - Returns: where the damaged file is now.
    func exchange() throws(StoreFailure) -> String {
        do throws(Errno) {
            let aside = SetAsideFiles(of: path).freeName(at: .now)
            try SQLiteFile.rename(path, to: aside)
            try SQLiteFile.rename(Self.draft(path), to: path)
            return aside
        } catch {
            throw StoreFailure(.unavailable, "cannot set the damaged store aside: \(error)")
        }
    }

    /// Writes the new file beside the damaged one.
    ///
    /// - Returns: its rows.
    private func copy() throws(StoreFailure) -> Int {
        let draft = Self.draft(path)
        do throws(Errno) {
            try SQLiteFile.remove(draft)
            try SQLiteFile.makePrivate(draft)
        } catch {
            throw StoreFailure(.unavailable, "cannot create a new store: \(error)")
        }
        let new = try StoreDatabase(path: draft, schema: file.schema) { _ in [] }
        defer { new.close() }
        // A file whose header is damaged has no readable rows.
        guard let old = try? SQLiteDatabase(path: path, .salvage) else { return 0 }
        defer { old.close() }
        // The checks of `tables` replace SQLite's check of each cell.
        try? old.run(
            "PRAGMA cell_size_check=OFF; PRAGMA cache_size=-2048; PRAGMA temp_store=MEMORY")
        do throws(SQLiteError) {
            var ids: [String: Set<Int64>] = [:]
            var rows = 0
            for table in Self.tables {
                rows += try copy(table, from: old, to: new.connection, &ids)
            }
            return rows
        } catch {
            throw StoreFailure(error)
        }
    }

    private func copy(
        _ table: Table, from old: SQLiteDatabase, to new: SQLiteDatabase,
        _ ids: inout [String: Set<Int64>]
    ) throws(SQLiteError) -> Int {
        let count = table.columns.split(separator: ",").count
        let places = repeatElement("?", count: count).joined(separator: ",")
        let insert = "INSERT OR IGNORE INTO \(table.name)(\(table.columns)) VALUES(\(places))"
        let isReferenced = Self.tables.contains { other in
            other.references.contains { $0.table == table.name }
        }
        var copied = 0
        var failure: SQLiteError?
        try new.run("BEGIN IMMEDIATE")
        old.salvage(table.name, table.columns) { row in
            guard failure == nil, table.isIntact(row),
                table.references.allSatisfy({ reference in
                    ids[reference.table]?.contains(row.integer(reference.column)) ?? false
                })
            else { return }
            do throws(SQLiteError) {
                try new.run(insert, (0..<CInt(count)).map { row.value($0) })
                guard new.changes > 0 else { return }
                copied += 1
                if isReferenced { ids[table.name, default: []].insert(row.integer(0)) }
                if copied.isMultiple(of: Self.rowsPerCommit) {
                    try new.run("COMMIT")
                    try new.run("BEGIN IMMEDIATE")
                }
            } catch {
                // A row with an impossible value is damaged.
                if !error.isConstraint { failure = error }
            }
        }
        if let failure {
            if new.isInTransaction { try? new.run("ROLLBACK") }
            throw failure
        }
        try new.run("COMMIT")
        return copied
    }
}
