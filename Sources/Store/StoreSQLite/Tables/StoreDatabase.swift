import Posix
import Primitives
import ResultStore
import SQL
import SQLite

/// The open file of the store.
///
/// Each commit is flushed to the disk. Other processes can read the file meanwhile.
package final class StoreDatabase: StoreRows {
    package let connection: SQLiteDatabase
    package let names: StoreNames<SQLiteDatabase>
    /// Merges the sums of minutes into an hour's, and of hours into a day's.
    package let merge: SummaryMerge
    let path: String
    private let identity: FileIdentity?
    /// Of the log and its index.
    private let log: [FileIdentity?]
    /// The bytes of the log's index that SQLite may have mapped.
    private var indexBytes: Int64 = 0
    /// The log's index, once it was restored. Closed after the connection: to close it ends the locks of this process (fcntl(2)).
    private var index: Descriptor?
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
        names = StoreNames(connection)
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

    /// Gives the index of the log its length back, if another program has truncated it: the kernel ends a process that reads
    /// behind the end of a mapped file (SIGBUS). SQLite then builds the index from the log.
    ///
    /// - Returns: whether it was truncated.
    func restoreIndex() -> Bool {
        guard let bytes = File.size(path + "-shm") else { return false }
        guard bytes < indexBytes else {
            indexBytes = bytes
            return false
        }
        return (try? clearIndex()) != nil
    }

    /// A part of an index would count as a whole one. The check reads it meanwhile: it never gets shorter.
    private func clearIndex() throws(Errno) {
        if index == nil { index = try Descriptor.open(updating: path + "-shm") }
        try index?.clear(bytes: Int(clamping: indexBytes))
    }

    func close() {
        connection.close()
        index = nil
    }

    /// Stores a batch wholly or not at all.
    func commit(_ batch: StoreBatch) throws(StoreFailure) {
        do throws(SQLiteError) {
            try connection.transaction { () throws(SQLiteError) in try write(batch) }
        } catch {
            names.reset()
            throw StoreFailure(error)
        }
    }

    package func insert(_ rows: [[SQLValue]], into table: StoreTable) throws(SQLiteError) {
        for row in rows { try connection.run(table.insertion, row) }
    }

    package func change(_ rows: [[SQLValue]], in table: StoreTable) throws(SQLiteError) -> [Bool] {
        var changed: [Bool] = []
        for row in rows {
            try connection.run(table.insertion, row)
            changed.append(connection.changes > 0)
        }
        return changed
    }

    package func summaries(
        of spans: [StoredSpan], in table: StoreTable
    ) throws(SQLiteError) -> [[[UInt8]]] {
        var found: [[[UInt8]]] = []
        for span in spans {
            var summaries: [[UInt8]] = []
            try connection.query(
                """
                SELECT summary FROM \(table.name) WHERE queue=? AND start>=? AND start<?
                ORDER BY start
                """,
                [
                    .integer(span.queue), .time(span.range.lowerBound),
                    .time(span.range.upperBound),
                ]
            ) { summaries.append($0.bytes(0)) }
            found.append(summaries)
        }
        return found
    }
}
