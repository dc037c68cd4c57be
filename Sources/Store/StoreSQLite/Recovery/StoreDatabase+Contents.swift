import Posix
import ResultStore
import SQLite

extension StoreDatabase {
    /// All rows as one batch. Only a small file has so few that they fit into memory.
    func contents() throws(StoreFailure) -> StoreBatch {
        do throws(SQLiteError) {
            var batch = StoreBatch()
            for fact: StoreBatch.Fact in try rows() { batch.add(fact) }
            for receipt: StoreBatch.TillReceipt in try rows() { batch.add(receipt) }
            batch.minutes = try rows()
            batch.visits = try rows()
            batch.levels = try rows()
            batch.visitCounts = try rows()
            batch.regionEvents = try rows()
            batch.beaconEvents = try rows()
            batch.beaconHours = try rows()
            batch.placeLabels = try rows()
            batch.regionChanges = try rows()
            batch.counts = try counts()
            return batch
        } catch {
            throw StoreFailure(error)
        }
    }

    /// All rows of a table, in the order of their insertion.
    func rows<Row: StoredRow>() throws(SQLiteError) -> [Row] {
        var rows: [Row] = []
        try connection.query(Row.table.contentsInOrder) { row in
            var values = StoredValues(row)
            rows.append(Row.read(&values))
        }
        return rows
    }

    /// Writes all rows to a new file at the path from which the open file was removed.
    ///
    /// The kernel keeps the bytes of a removed file until it is closed (unlink(2)).
    func restore() throws(StoreFailure) {
        let draft = StoreRecovery.draft(path)
        do throws(Errno) {
            try File.makeFolders(File.folder(of: path))
            try SQLiteFile.remove(draft)
            try SQLiteFile.makePrivate(draft)
        } catch {
            throw StoreFailure(.unavailable, "cannot restore the store: \(error)")
        }
        do throws(SQLiteError) {
            try connection.run("VACUUM INTO ?", [.text(draft)])
        } catch {
            throw StoreFailure(error)
        }
        do throws(Errno) { try SQLiteFile.rename(draft, to: path) } catch {
            throw StoreFailure(.unavailable, "cannot restore the store: \(error)")
        }
    }
}
