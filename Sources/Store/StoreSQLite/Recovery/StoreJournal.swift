import Posix
import ResultStore
import SQLite

/// A second file, on another file system: it keeps the batches that the disk does not take.
///
/// A kill of the server loses none of them. The next start hands them to the store. The file exists only while it is needed.
struct StoreJournal {
    private let file: StoreFile
    private var database: StoreDatabase?

    init(_ file: StoreFile) { self.file = file }

    /// - Returns: whether the batch survives the end of the process.
    mutating func add(_ batch: StoreBatch) -> Bool {
        do throws(StoreFailure) {
            if database == nil { database = try file.open() }
            try database?.commit(batch)
            return true
        } catch {
            // The memory still has the rows of a damaged file. A new one begins with the next batch.
            if error.cause == .corrupt { remove() } else { close() }
            return false
        }
    }

    /// What an earlier run has left.
    mutating func contents() -> StoreBatch? {
        guard File.exists(file.path) else { return nil }
        do throws(StoreFailure) {
            let database = try file.open()
            self.database = database
            return try database.contents()
        } catch {
            if error.cause == .corrupt { remove() }
            return nil
        }
    }

    /// Removes the file: the store has everything.
    mutating func remove() {
        close()
        try? SQLiteFile.remove(file.path)
    }

    mutating func close() {
        database?.close()
        database = nil
    }
}
