import Posix
import ResultStore
import SQLite

/// Brings a file to the present version of the tables.
struct StoreMigration {
    let path: String
    let schema: StoreSchema

    /// Creates the tables of a new file, or runs the missing steps in one transaction.
    ///
    /// A copy of an older file is kept until all steps have succeeded.
    func run(on connection: SQLiteDatabase) throws(StoreFailure) {
        let version: Int64
        do throws(SQLiteError) {
            version = try self.version(of: connection)
        } catch {
            throw StoreFailure(error)
        }
        guard version <= schema.version else {
            throw StoreFailure(
                .newer,
                "the store \(path) is of version \(version), and this program knows versions "
                    + "up to \(schema.version): install the newer program again")
        }
        guard version < schema.version else { return }
        do throws(SQLiteError) {
            if version > 0 { try copy(connection, version) }
            try connection.transaction { () throws(SQLiteError) in
                for step in schema.steps[Int(version)...] { try connection.run(step) }
                try connection.run(
                    """
                    PRAGMA application_id=\(StoreSchema.application);
                    PRAGMA user_version=\(schema.version);
                    """)
            }
        } catch {
            throw StoreFailure(.unavailable, "cannot migrate the store: \(error.description)")
        }
        if version > 0 { try? File.remove(copyPath(version)) }
    }

    private func version(of connection: SQLiteDatabase) throws(SQLiteError) -> Int64 {
        let application = try connection.number("PRAGMA application_id") ?? 0
        let version = try connection.number("PRAGMA user_version") ?? 0
        if application == StoreSchema.application, version > 0 { return version }
        let tables = try connection.number("SELECT count(*) FROM sqlite_schema") ?? 0
        guard application == 0, version == 0, tables == 0 else {
            throw SQLiteError(code: SQLiteError.notADatabase, message: "the file is not a store")
        }
        return 0
    }

    func copyPath(_ version: Int64) -> String { "\(path).version-\(version)" }

    private func copy(_ connection: SQLiteDatabase, _ version: Int64) throws(SQLiteError) {
        let copy = copyPath(version)
        // The rest of an earlier attempt.
        try? SQLiteFile.remove(copy)
        try? File.makePrivate(copy)
        try connection.run("VACUUM INTO ?", [.text(copy)])
    }
}

/// The steps that lead from each version of the file to the next.
struct StoreSchema: Sendable {
    /// The application's mark in the file header: "SLst" (sqlite.org/fileformat2.html, section 1.3).
    static let application: Int64 = 0x534c_7374

    /// The step at index n leads from version n to version n + 1.
    let steps: [String]

    var version: Int64 { Int64(steps.count) }

    /// The versions in which the tables and their columns began.
    static let current = StoreSchema(
        steps: (1...StoreTable.newestVersion).map { version in
            StoreTable.all.flatMap { $0.migration(to: version) }.joined(separator: "\n")
        })
}
