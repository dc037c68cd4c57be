import Posix
import ResultStore
import SQLite

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
