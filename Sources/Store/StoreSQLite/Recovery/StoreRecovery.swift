import JSON
import Posix
import Primitives
import ResultStore
import SQLite

/// Carries the rows of a damaged file's intact pages into a new one. The damaged file gets another name (`SetAsideFiles`).
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
        let old: PageScan
        do throws(Errno) {
            old = try PageScan(path: path, pageSize: StoreDatabase.page)
        } catch {
            throw StoreFailure(.unavailable, "cannot read the damaged store: \(error)")
        }
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
        _ table: StoreTable, from old: PageScan, to new: SQLiteDatabase,
        _ ids: inout [String: Set<Int64>]
    ) throws(SQLiteError) -> Int {
        let columns = "id," + table.columns.map(\.name).joined(separator: ",")
        let places = repeatElement("?", count: table.columns.count + 1).joined(separator: ",")
        let insertion = "INSERT OR IGNORE INTO \(table.name)(\(columns)) VALUES(\(places))"
        let isReferenced = table.isReferenced
        var copied = 0
        var failure: SQLiteError?
        func take(_ id: Int64, _ values: [SQLiteDatabase.Value]?, isKnown: Bool) {
            guard failure == nil, let values,
                Self.isIntact(SalvagedRow(values: values, table: table), ids, isKnown: isKnown)
            else { return }
            do throws(SQLiteError) {
                try new.run(insertion, [.integer(id)] + values)
                guard new.changes > 0 else { return }
                copied += 1
                if isReferenced { ids[table.name, default: []].insert(id) }
                if copied.isMultiple(of: Self.rowsPerCommit) {
                    try new.run("COMMIT")
                    try new.run("BEGIN IMMEDIATE")
                }
            } catch {
                // A row with an impossible value is damaged.
                if !error.isConstraint { failure = error }
            }
        }
        try new.run("BEGIN IMMEDIATE")
        old.rows(of: table.name) { record, isKnown in
            guard let id = record.id else { return }
            take(id, table.row(record.values), isKnown: isKnown)
        }
        // The names of sites, queues and sessions are in their indexes too.
        if isReferenced {
            old.entries(of: "sqlite_autoindex_\(table.name)_1") { record in
                guard case .integer(let id) = record.values.last else { return }
                take(id, table.row(key: record.values.dropLast(), at: .now), isKnown: true)
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
    ///
    /// - Parameter isKnown: whether the row was in a page of its table.
    private static func isIntact(
        _ row: SalvagedRow, _ ids: [String: Set<Int64>], isKnown: Bool
    ) -> Bool {
        for column in row.table.columns {
            if let other = column.kind.reference {
                guard ids[other]?.contains(row.integer(column.name)) ?? false else { return false }
            }
            if case .json = column.kind {
                guard isJSON(row.bytes(column.name)) else { return false }
            }
        }
        return row.table.isIntact(row) && (isKnown || row.table.isDistinct(row))
    }

    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        (try? JSON(parsing: bytes, maxBytes: 1 << 20)) != nil
    }
}
