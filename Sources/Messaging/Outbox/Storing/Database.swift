import CSQLite

/// A connection to an SQLite file: the one place that calls the library (sqlite.org/c3ref).
///
/// All calls come from one thread. A failure becomes a `StoreFailure` where it happens.
final class Database {
    private var handle: OpaquePointer?
    /// Prepared once, by their text.
    private var statements: [String: OpaquePointer] = [:]

    /// Opens the file, or makes it.
    convenience init(path: String) throws(StoreFailure) {
        try self.init(path: path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    }

    /// Opens a damaged file to look at it: nothing in it can take long or ask for much memory, and it stays as it is.
    convenience init(wreck path: String) throws(StoreFailure) {
        // Without the right to write there would be no reading the log.
        try self.init(path: path, SQLITE_OPEN_READWRITE)
        _ = sightline_leave_log(handle)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestInWreck)
        sqlite3_progress_handler(handle, Self.mostStepsInWreck, { _ in 1 }, nil)
    }

    /// Bytes of a row: more than any message can have.
    private static let longestInWreck: CInt = 32 << 20
    /// Of a statement: pages that point at each other must not be followed for ever.
    private static let mostStepsInWreck: CInt = 50_000_000

    private init(path: String, _ mode: CInt) throws(StoreFailure) {
        let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else {
            let failure = failure(code)
            close()
            throw failure
        }
        sqlite3_extended_result_codes(handle, 1)
    }

    deinit { close() }

    /// Ends all statements and lets go of the file; the log is written back into it.
    func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Runs statements that give nothing back.
    func run(_ text: String) throws(StoreFailure) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// What fits into a place of a statement.
    enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    /// Runs one statement.
    ///
    /// - Parameter row: reads a row of the answer.
    func query<Answer>(
        _ text: String, _ values: [Value] = [], row: (Columns) -> Answer
    ) throws(StoreFailure) -> [Answer] {
        var answers: [Answer] = []
        try each(text, values) { answers.append(row($0)) }
        return answers
    }

    /// Runs one statement as far as the file can be read.
    ///
    /// - Returns: whether that is all.
    func visit(_ text: String, _ values: [Value] = [], row: (Columns) -> Void) -> Bool {
        (try? each(text, values, row)) != nil
    }

    private func each(
        _ text: String, _ values: [Value], _ row: (Columns) -> Void
    ) throws(StoreFailure) {
        let statement = try prepare(text)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            let code = bind(value, at: CInt(index + 1), of: statement)
            guard code == SQLITE_OK else { throw failure(code) }
        }
        while true {
            let code = sqlite3_step(statement)
            switch code {
            case SQLITE_ROW: row(Columns(statement: statement))
            case SQLITE_DONE: return
            default: throw failure(code)
            }
        }
    }

    /// Runs one statement that gives nothing back.
    func run(_ text: String, _ values: [Value]) throws(StoreFailure) {
        _ = try query(text, values) { _ in }
    }

    /// The place of the latest row put in.
    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Whether a transaction is open.
    var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

    private func prepare(_ text: String) throws(StoreFailure) -> OpaquePointer {
        if let statement = statements[text] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
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

    private func failure(_ code: CInt) -> StoreFailure {
        let words = sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
        return StoreFailure(Self.cause(of: code), "SQLite: \(words) (\(code))")
    }

    private static func cause(of code: CInt) -> StoreFailure.Cause {
        switch code & 0xff {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_SCHEMA, SQLITE_MISMATCH: .damaged
        // A table or a column that should be there is not.
        case SQLITE_ERROR: .damaged
        default: .unusable
        }
    }
}

extension Database {
    /// The columns of a row, while it is being read.
    struct Columns {
        fileprivate let statement: OpaquePointer

        func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(statement, column) }

        func text(_ column: CInt) -> String { String(decoding: bytes(column), as: UTF8.self) }

        func bytes(_ column: CInt) -> [UInt8] {
            let count = Int(sqlite3_column_bytes(statement, column))
            guard count > 0, let start = sqlite3_column_blob(statement, column) else { return [] }
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        func isNull(_ column: CInt) -> Bool {
            sqlite3_column_type(statement, column) == SQLITE_NULL
        }
    }
}
