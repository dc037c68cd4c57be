import Facts
import Posix
import Queueing
import SQLite

extension StoreDatabase {
    /// All rows as one batch. Only a small file has so few that they fit into memory.
    func contents() throws(StoreFailure) -> StoreBatch {
        do throws(SQLiteError) {
            var batch = StoreBatch()
            try addFacts(to: &batch)
            try addResults(to: &batch)
            batch.counts = try counts()
            return batch
        } catch {
            throw StoreFailure(error)
        }
    }

    private func addFacts(to batch: inout StoreBatch) throws(SQLiteError) {
        try connection.query(
            """
            SELECT sites.name,gateway,session,number,start,body FROM facts
            JOIN sites ON sites.id=facts.site JOIN sources ON sources.id=facts.source
            ORDER BY facts.id
            """
        ) { row in
            batch.add(
                StoreBatch.Fact(
                    site: row.text(0), gateway: row.text(1), session: row.text(2),
                    number: UInt64(bitPattern: row.integer(3)), start: row.time(4),
                    body: row.bytes(5)))
        }
    }

    private func addResults(to batch: inout StoreBatch) throws(SQLiteError) {
        let owner = "JOIN queues ON queues.id=queue JOIN sites ON sites.id=queues.site"
        try connection.query(
            """
            SELECT sites.name,queues.name,start,end,rev,final,document,mark,summary
            FROM minutes \(owner) ORDER BY minutes.id
            """
        ) { row in
            batch.minutes.append(
                StoreBatch.Minute(
                    site: row.text(0), queue: row.text(1), start: row.time(2),
                    end: row.time(3), day: LocalDay(containing: row.time(2)).span,
                    rev: Int(row.integer(4)), isFinal: row.integer(5) != 0,
                    document: row.bytes(6), mark: row.bytes(7), summary: row.bytes(8)))
        }
        try connection.query(
            """
            SELECT sites.name,queues.name,entered,left,tag,document
            FROM visits \(owner) ORDER BY visits.id
            """
        ) { row in
            batch.visits.append(
                StoreBatch.Visit(
                    site: row.text(0), queue: row.text(1), entered: row.time(2),
                    left: row.time(3), tag: Tag(rawValue: UInt64(bitPattern: row.integer(4))),
                    document: row.bytes(5)))
        }
        try connection.query(
            "SELECT sites.name,queues.name,till,receipts.count,at FROM receipts \(owner)"
        ) { row in
            let receipt = Receipt(
                till: row.text(2), count: row.integer(3), at: UnixSecond(containing: row.time(4)))
            batch.add(receipt, site: row.text(0), queue: row.text(1))
        }
        try connection.query(
            "SELECT sites.name,queues.name,day,count,method FROM visit_counts \(owner)"
        ) { row in
            batch.visitCounts.append(
                StoreBatch.VisitCount(
                    site: row.text(0), queue: row.text(1), day: row.time(2),
                    count: Int(row.integer(3)), method: row.text(4)))
        }
        try connection.query(
            "SELECT sites.name,start,levels FROM site_days JOIN sites ON sites.id=site"
        ) { row in
            batch.levels.append(
                StoreBatch.Levels(
                    site: row.text(0), day: row.time(1), levels: row.bytes(2)))
        }
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
