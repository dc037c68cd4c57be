import Posix
import Primitives
import SQLite

/// What the store holds: rows by table with their times, and the files.
package struct StoreInventory: Equatable, Sendable {
    package struct Table: Equatable, Sendable {
        package let name: String
        /// What its rows are; `nil` for a table that this version does not know.
        package let content: String?
        package let kept: RetentionRule?
        package let rows: Int
        /// The oldest and the newest time; `nil` for a table without times or rows.
        package let times: ClosedRange<UnixTime>?
    }

    package struct File: Equatable, Sendable {
        package let path: String
        package let bytes: Int64
        /// Whether it keeps its rows until it is erased.
        package let isSetAside: Bool
    }

    package let tables: [Table]
    /// The store's file with its log, and files that were set aside.
    package let files: [File]

    /// Reads the file at `path`, also while the server runs.
    package init(of path: String) throws(StoreFailure) {
        var tables: [Table] = []
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(path: path, .read)
            defer { database.close() }
            for name in try Self.tables(of: database) {
                let known = StoreTable.all.first { $0.name == name }
                let column = known?.time ?? "NULL"
                var table: Table?
                try database.query(
                    "SELECT count(*),min(\(column)),max(\(column)) FROM \(name)"
                ) { row in
                    let low = row.time(1)
                    let high = max(low, row.time(2))
                    table = Table(
                        name: name, content: known?.content, kept: known?.kept,
                        rows: Int(row.integer(0)),
                        times: row.isNull(1) ? nil : low...high)
                }
                if let table { tables.append(table) }
            }
        } catch {
            throw StoreFailure(error)
        }
        self.tables = tables
        let folder = Posix.File.folder(of: path)
        let setAside = SetAsideFiles(of: path)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        files = Folder.names(in: folder).filter { $0.hasPrefix(name) }.compactMap { file in
            let path = folder + "/" + file
            return Posix.File.size(path).map {
                File(path: path, bytes: $0, isSetAside: setAside.has(path))
            }
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
