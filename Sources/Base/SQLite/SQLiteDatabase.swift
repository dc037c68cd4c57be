import CSQLite
import SQL

/// A connection to an SQLite file (sqlite.org/c3ref). No other file calls the library.
///
/// Use a connection from one thread.
package final class SQLiteDatabase: SQLConnection {
    private var handle: OpaquePointer?
    /// Prepared statements by their SQL text.
    private var statements: [String: OpaquePointer] = [:]

    package enum Mode: Sendable {
        /// Opens the file, or creates it.
        case create
        /// Opens a file for reading. Other connections may write to it.
        case read
        /// Opens a damaged file. Its bytes stay unchanged, and every statement has limits for time and memory.
        case salvage
    }

    /// Limits in `salvage` mode: the longest row in bytes, more than any message has …
    private static let longestRow: CInt = 32 << 20
    /// … and the steps of a statement, because damaged pages can form a cycle.
    private static let mostSteps: CInt = 50_000_000

    package init(path: String, _ mode: Mode = .create) throws(SQLiteError) {
        let flags =
            switch mode {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .read: SQLITE_OPEN_READONLY
            // SQLite reads the log of a file only with write access.
            case .salvage: SQLITE_OPEN_READWRITE
            }
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else {
            let error = error(code)
            close()
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        guard mode == .salvage else { return }
        _ = sightline_leave_log(handle)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestRow)
        sqlite3_progress_handler(handle, Self.mostSteps, { _ in 1 }, nil)
    }

    deinit { close() }

    /// Finalizes all statements and closes the file. SQLite then copies the log into the file, except in `salvage` mode.
    package func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Runs SQL text that can have several statements, without results.
    package func run(_ text: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    package typealias Value = SQLValue

    package static func missingRow() -> SQLiteError {
        SQLiteError(code: SQLITE_ERROR, message: "no row was inserted")
    }

    /// Runs one statement and gives each row of the result to `visit`. Rows before an error were visited.
    package func query(
        _ text: String, _ values: [Value] = [], visit: (Row) -> Void
    ) throws(SQLiteError) {
        let statement = try prepare(text)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            let code = bind(value, at: CInt(index + 1), of: statement)
            guard code == SQLITE_OK else { throw error(code) }
        }
        while true {
            let code = sqlite3_step(statement)
            switch code {
            case SQLITE_ROW: visit(Row(statement: statement))
            case SQLITE_DONE: return
            default: throw error(code)
            }
        }
    }

    /// Whether the file could be opened for reading only: its disk was read-only. It stays so until it is opened again.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    package var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

    /// The rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes(handle)) }

    private func prepare(_ text: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[text] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code) }
        statements[text] = statement
        return statement
    }

    private func bind(_ value: Value, at index: CInt, of statement: OpaquePointer) -> CInt {
        switch value {
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .text(let text):
            return sightline_bind_text(statement, index, text, CInt(clamping: text.utf8.count))
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { buffer in
                sightline_bind_blob(
                    statement, index, buffer.baseAddress, CInt(clamping: buffer.count))
            }
        }
    }

    private func error(_ code: CInt) -> SQLiteError {
        let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
        return SQLiteError(code: code, message: message)
    }
}

extension SQLiteDatabase {
    /// A row of a result. It is valid only inside `visit`.
    package struct Row: SQLRow {
        fileprivate let statement: OpaquePointer

        package func integer(_ column: CInt) -> Int64 {
            sqlite3_column_int64(statement, column)
        }

        package func text(_ column: CInt) -> String {
            String(decoding: bytes(column), as: UTF8.self)
        }

        package func bytes(_ column: CInt) -> [UInt8] {
            // Before its size: it can convert the value (sqlite.org/c3ref/column_blob.html).
            guard let start = sqlite3_column_blob(statement, column) else { return [] }
            let count = Int(sqlite3_column_bytes(statement, column))
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        /// The value as it can be bound again; NULL and real numbers, which no table here has, become empty bytes.
        package func value(_ column: CInt) -> Value {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: .integer(integer(column))
            case SQLITE_TEXT: .text(text(column))
            default: .bytes(bytes(column))
            }
        }

        package func isNull(_ column: CInt) -> Bool {
            sqlite3_column_type(statement, column) == SQLITE_NULL
        }
    }
}

extension SQLiteDatabase {
    /// Changes the file completely or not at all.
    package func transaction<Result>(
        _ work: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        do throws(SQLiteError) {
            try run("BEGIN IMMEDIATE")
            let result = try work()
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has rolled back already.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }
}

/// A failed call of SQLite (sqlite.org/rescode.html).
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The extended result code.
    package let code: CInt
    package let message: String

    package init(code: CInt, message: String) {
        self.code = code
        self.message = message
    }

    /// The code of a file that is not what it should be.
    package static let notADatabase = SQLITE_NOTADB

    package var description: String { "SQLite: \(message) (\(code))" }

    /// Whether a row breaks a rule of its table.
    package var isConstraint: Bool { code & 0xff == SQLITE_CONSTRAINT }

    /// Whether the file is damaged or not a database, or lacks a table or column that it must have.
    package var isCorruption: Bool {
        let damage = [
            SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_SCHEMA, SQLITE_MISMATCH,
            SQLITE_ERROR,
        ]
        return damage.contains(code & 0xff)
    }
}
