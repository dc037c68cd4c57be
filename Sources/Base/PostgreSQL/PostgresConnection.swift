import CPostgreSQL
import Posix
import Primitives
import SQL

/// A connection to a PostgreSQL database (libpq, "C Library"). No other file calls the library.
///
/// Statements run in pipeline mode: `send` only hands them over, and `query` waits for the answers of all of them. Each wait ends
/// at a limit, and the connection with it: nobody knows then what became of its transaction. Only the lookup of a host's name
/// has the limits of the system's resolver. Use a connection from one thread.
package final class PostgresConnection: SQLConnection {
    private var handle: OpaquePointer?
    /// The longest wait for the answers of one `query`.
    private let limit: Duration
    private static let connecting = Duration.seconds(3)

    /// - Parameters:
    ///   - settings: a connection string of libpq. It may name a service.
    ///   - defaults: keywords for what it does not have.
    ///   - limit: of each answer. A connection is there within three seconds.
    package init(
        _ settings: String, defaults: [(keyword: String, value: String)] = [], limit: Duration
    ) throws(PostgresError) {
        self.limit = limit
        let fields =
            defaults + [("dbname", settings), ("client_encoding", "UTF8")]
        let keywords = CStrings(fields.map(\.0))
        let values = CStrings(fields.map(\.1))
        handle = withExtendedLifetime((keywords, values)) {
            PQconnectStartParams(keywords.pointers, values.pointers, 1)
        }
        // Notices are for people at a terminal.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        do throws(PostgresError) { try connect() } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    package func close() {
        PQfinish(handle)
        handle = nil
    }

    package static func missingRow() -> PostgresError {
        PostgresError(code: nil, message: "no row was inserted", isLost: false)
    }

    private func connect() throws(PostgresError) {
        let deadline = Instant.now + Self.connecting
        var wanted = PGRES_POLLING_WRITING
        while wanted != PGRES_POLLING_OK {
            guard PQstatus(handle) != CONNECTION_BAD, wanted != PGRES_POLLING_FAILED else {
                throw lost()
            }
            try wait(for: wanted == PGRES_POLLING_READING ? .input : .output, until: deadline)
            wanted = PQconnectPoll(handle)
        }
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            throw lost()
        }
    }

    // MARK: Statements

    /// Hands a statement over, and does not wait for its answer: the next `query` throws its failure.
    package func send(_ text: String, _ values: [PostgresParameter] = []) throws(PostgresError) {
        var types: [Oid] = []
        var bytes: [[UInt8]] = []
        for value in values {
            types.append(value.type)
            bytes.append(value.encoded)
        }
        let sent = withPointers(bytes) { pointers in
            PQsendQueryParams(
                handle, text, CInt(bytes.count), types, pointers,
                bytes.map { CInt(clamping: $0.count) },
                bytes.map { _ in Self.binary }, Self.binary)
        }
        guard sent == 1 else { throw lost() }
    }

    /// Runs one statement behind those that were sent, and gives each row of its result to `visit`, after all have succeeded.
    package func query(
        _ text: String, _ values: [SQLValue] = [], visit: (Row) -> Void
    ) throws(PostgresError) {
        try query(text, with: values.map(PostgresParameter.one), visit: visit)
    }

    package func query(
        _ text: String, with values: [PostgresParameter], visit: (Row) -> Void
    ) throws(PostgresError) {
        try send(text, values)
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        guard let result = try answer() else { return }
        defer { PQclear(result) }
        for row in 0..<PQntuples(result) { visit(Row(result: result, row: row)) }
    }

    /// Runs one statement without parameters behind those that were sent.
    package func run(_ text: String) throws(PostgresError) { try query(text) { _ in } }

    private static let binary: CInt = 1

    /// Waits for the answers of all statements.
    ///
    /// - Returns: the rows of the last one.
    private func answer() throws(PostgresError) -> OpaquePointer? {
        let deadline = Instant.now + limit
        var rows: OpaquePointer?
        var failure: PostgresError?
        while true {
            try receive(until: deadline, clearing: rows)
            guard let result = PQgetResult(handle) else {
                guard PQstatus(handle) == CONNECTION_OK else {
                    PQclear(rows)
                    throw lost(failure)
                }
                // The end of one statement's results.
                continue
            }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK:
                PQclear(rows)
                rows = result
                continue
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                guard let failure else { return rows }
                PQclear(rows)
                throw failure
            case PGRES_COMMAND_OK, PGRES_PIPELINE_ABORTED: break
            default: failure = failure ?? PostgresError(result)
            }
            PQclear(result)
        }
    }

    /// Sends and receives until the next result is there.
    private func receive(
        until deadline: Instant, clearing rows: OpaquePointer?
    ) throws(PostgresError) {
        do throws(PostgresError) {
            while true {
                let left = PQflush(handle)
                guard left >= 0 else { throw lost() }
                guard PQisBusy(handle) == 1 else { return }
                try wait(for: left == 1 ? [.input, .output] : .input, until: deadline)
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            }
        } catch {
            PQclear(rows)
            throw error
        }
    }

    private func wait(
        for events: Poll.Events, until deadline: Instant
    ) throws(PostgresError) {
        do throws(Errno) {
            let interest = [Poll.Interest(PQsocket(handle), events)]
            while true {
                let left = deadline - .now
                guard left > .zero else { break }
                let ready = try Poll.wait(
                    for: interest, timeout: Int(clamping: left.milliseconds + 1))
                if !ready[0].isEmpty { return }
            }
        } catch {
            throw lost(PostgresError(code: nil, message: "\(error)", isLost: true))
        }
        throw lost(
            PostgresError(
                code: nil, message: "no answer in time", isLost: true))
    }

    /// The failure of a connection that can't go on.
    private func lost(_ failure: PostgresError? = nil) -> PostgresError {
        let message = failure?.message ?? PostgresError.text(PQerrorMessage(handle))
        close()
        return PostgresError(
            code: failure?.code, message: message.isEmpty ? "connection lost" : message,
            isLost: true)
    }
}

extension PostgresConnection {
    /// A row of a result in binary form. It is valid only inside `visit`.
    package struct Row: SQLRow {
        fileprivate let result: OpaquePointer
        fileprivate let row: CInt

        package var columns: CInt { PQnfields(result) }

        /// A number of 1 to 8 bytes.
        package func integer(_ column: CInt) -> Int64 {
            let bytes = bytes(column)
            guard let first = bytes.first, bytes.count <= 8 else { return 0 }
            let start: Int64 = first & 0x80 == 0 || bytes.count == 1 ? 0 : -1
            return bytes.reduce(start) { $0 << 8 | Int64($1) }
        }

        package func text(_ column: CInt) -> String {
            String(decoding: bytes(column), as: UTF8.self)
        }

        package func bytes(_ column: CInt) -> [UInt8] {
            guard let start = PQgetvalue(result, row, column) else { return [] }
            let count = Int(PQgetlength(result, row, column))
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        package func isNull(_ column: CInt) -> Bool { PQgetisnull(result, row, column) == 1 }
    }

    /// A fault of a connection string; `nil` if libpq understands it. The text of libpq may have a part of a password, and is left out.
    package static func fault(of settings: String) -> String? {
        guard let options = PQconninfoParse(settings, nil) else {
            return "libpq does not understand it: write keyword=value pairs, as "
                + "service=sightline or \"host=db.example dbname=sightline\""
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            let name = String(cString: keyword)
            if ["password", "sslpassword"].contains(name), option.pointee.val != nil {
                return "it has a \(name): write the password into libpq's password file, which "
                    + "passfile names, and its owner alone may read"
            }
            option += 1
        }
        return nil
    }
}

/// A failed call of libpq, or a failed statement.
package struct PostgresError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The SQLSTATE ("PostgreSQL Error Codes"); `nil` if the server has not answered.
    package let code: String?
    /// One line.
    package let message: String
    /// Whether the connection has ended.
    package let isLost: Bool

    package init(code: String?, message: String, isLost: Bool) {
        self.code = code
        self.message = message
        self.isLost = isLost
    }

    fileprivate init(_ result: OpaquePointer) {
        let field = { (code: Int32) in
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        code = field(CInt(UInt8(ascii: "C")))
        message = field(CInt(UInt8(ascii: "M"))) ?? Self.text(PQresultErrorMessage(result))
        isLost = false
    }

    fileprivate static func text(_ message: UnsafeMutablePointer<CChar>?) -> String {
        let lines = message.map { String(cString: $0).split(whereSeparator: \.isNewline) }
        return lines?.map { $0.trimmingPrefix(while: \.isWhitespace) }.joined(separator: "; ") ?? ""
    }

    package var description: String { "PostgreSQL: \(message)" + (code.map { " (\($0))" } ?? "") }

    /// A lock that another session holds (class 55P03).
    package var isLocked: Bool { code == "55P03" }
}
