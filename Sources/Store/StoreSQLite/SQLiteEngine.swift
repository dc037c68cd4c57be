import Posix
import Primitives
import ResultStore
import SQL
import SQLite

/// Stores in files of SQLite.
package struct SQLiteEngine: StoreEngine {
    package init() {}

    package var fault: String? { nil }

    package func place(in folder: String) -> String { folder + "/server.sqlite" }

    package func exists(at place: String) -> Bool { File.exists(place) }

    package func open(
        _ path: String, journal: String?, retention: StoreRetention, at now: Instant,
        merge: @escaping SummaryMerge
    ) -> any ResultStore {
        SQLiteStore(path: path, journal: journal, retention: retention, at: now, merge: merge)
    }

    /// Reads the file at `path`, also while the server runs.
    package func inventory(of path: String) throws(StoreFailure) -> StoreInventory {
        let setAside = SetAsideFiles(of: path)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let folder = File.folder(of: path)
        let files = Folder.names(in: folder).filter { $0.hasPrefix(name) }.compactMap { file in
            let path = folder + "/" + file
            return File.size(path).map {
                StoreInventory.File(path: path, bytes: $0, isSetAside: setAside.has(path))
            }
        }
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(path: path, .read)
            defer { database.close() }
            var tables: [StoreInventory.Table] = []
            for name in try Self.tables(of: database) {
                try database.query(Self.count(name)) { tables.append(Self.table(name, $0)) }
            }
            return StoreInventory(tables: tables, files: files)
        } catch {
            throw StoreFailure(error)
        }
    }

    private static func count(_ table: String) -> String {
        let time = StoreTable.named(table)?.time ?? "NULL"
        return "SELECT count(*),min(\(time)),max(\(time)) FROM \(table)"
    }

    private static func table(_ name: String, _ row: SQLiteDatabase.Row) -> StoreInventory.Table {
        let known = StoreTable.named(name)
        let low = row.time(1)
        let high = max(low, row.time(2))
        return StoreInventory.Table(
            name: name, content: known?.content, kept: known?.kept, rows: Int(row.integer(0)),
            times: row.isNull(1) ? nil : low...high)
    }

    package func rows(
        of path: String, visit: (_ table: String, _ row: Int64, _ values: [[UInt8]]) -> Void
    ) throws(StoreFailure) {
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(path: path, .read)
            defer { database.close() }
            for table in try Self.tables(of: database) {
                var columns: CInt = 0
                try database.query("PRAGMA table_info(\(table))") { _ in columns += 1 }
                try database.query("SELECT * FROM \(table)") { row in
                    visit(table, row.integer(0), (0..<columns).map { row.value($0).storedBytes })
                }
            }
        } catch {
            throw StoreFailure(error)
        }
    }

    static func tables(of database: SQLiteDatabase) throws(SQLiteError) -> [String] {
        var names: [String] = []
        try database.query(
            """
            SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'
            ORDER BY name
            """
        ) { names.append($0.text(0)) }
        return names
    }
}

extension SQLiteDatabase.Value {
    /// As SQLite writes it (sqlite.org/fileformat2.html, section 2.1).
    fileprivate var storedBytes: [UInt8] {
        switch self {
        case .integer(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }
}

extension StoreFailure {
    init(_ error: SQLiteError) {
        self.init(error.isCorruption ? .corrupt : .unavailable, error.description)
    }
}

/// The place of the store's file, and the tables that it must have.
struct StoreFile: Sendable {
    let path: String
    let schema: StoreSchema
    let merge: SummaryMerge

    /// Opens the file, and creates it with its folder if it is missing.
    func open() throws(StoreFailure) -> StoreDatabase {
        do throws(Errno) {
            try File.makeFolders(File.folder(of: path))
            // A recovery that ended before its last step.
            if !File.exists(path), File.exists(StoreRecovery.draft(path)) {
                try SQLiteFile.rename(StoreRecovery.draft(path), to: path)
            }
            try SQLiteFile.makePrivate(path)
        } catch {
            throw StoreFailure(
                .unavailable,
                "cannot create the store \(path): \(error); check stateDirectory, its rights and its disk"
            )
        }
        guard !SQLiteFile.hidesCommits(path) else {
            throw StoreFailure(.corrupt, "the write-ahead log is damaged before its last commits")
        }
        return try StoreDatabase(path: path, schema: schema, merge: merge)
    }
}
