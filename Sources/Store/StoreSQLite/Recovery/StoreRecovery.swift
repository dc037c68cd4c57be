import JSON
import Posix
import Primitives
import ResultStore
import SQLite

/// Carries the readable rows of a damaged file into a new one. The damaged file gets another name (`SetAsideFiles`).
///
/// The copy of gigabytes takes minutes: it runs on a thread of its own, while the server goes on from memory.
struct StoreRecovery: Sendable {
    let file: StoreFile

    private var path: String { file.path }

    /// The new file until it is complete.
    static func draft(_ path: String) -> String { path + ".new" }

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
            for table in StoreTable.all {
                rows += try copy(table, from: old, to: new.connection, &ids)
            }
            return rows
        } catch {
            throw StoreFailure(error)
        }
    }

    private func copy(
        _ table: StoreTable, from old: SQLiteDatabase, to new: SQLiteDatabase,
        _ ids: inout [String: Set<Int64>]
    ) throws(SQLiteError) -> Int {
        let columns = "id," + table.columns.map(\.name).joined(separator: ",")
        let places = repeatElement("?", count: table.columns.count + 1).joined(separator: ",")
        let insertion = "INSERT OR IGNORE INTO \(table.name)(\(columns)) VALUES(\(places))"
        let isReferenced = StoreTable.all.contains { other in
            other.columns.contains { $0.kind.reference == table.name }
        }
        var copied = 0
        var failure: SQLiteError?
        try new.run("BEGIN IMMEDIATE")
        old.salvage(table.name, columns) { row in
            guard failure == nil, Self.isIntact(row, table, ids) else { return }
            do throws(SQLiteError) {
                try new.run(insertion, (0...CInt(table.columns.count)).map { row.value($0) })
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

    /// Whether a row is one that was written, and the rows that it refers to are copied.
    private static func isIntact(
        _ row: SQLiteDatabase.Row, _ table: StoreTable, _ ids: [String: Set<Int64>]
    ) -> Bool {
        for (index, column) in zip(CInt(1)..., table.columns) {
            if let other = column.kind.reference {
                guard ids[other]?.contains(row.integer(index)) ?? false else { return false }
            }
            if case .json = column.kind {
                guard isJSON(row.bytes(index)) else { return false }
            }
        }
        return table.isIntact(SalvagedRow(row: row, table: table))
    }

    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        (try? JSON(parsing: bytes, maxBytes: 1 << 20)) != nil
    }
}
