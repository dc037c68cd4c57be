import Primitives
import ResultStore
import SQL
import SQLite

extension StoreDatabase {
    /// The most rows that one call removes from each table.
    private static let slice: Int64 = 500
    /// The most pages that one call returns to the file system.
    private static let freedPages = 256

    /// Removes rows that are too old, some of them at a time, and shrinks the file.
    ///
    /// - Parameters:
    ///   - day: the start of the running day: its facts stay.
    /// - Returns: whether more is left to remove.
    func expire(
        _ retention: StoreRetention, at wall: UnixTime, day: UnixTime
    ) throws(StoreFailure) -> Bool {
        do throws(SQLiteError) {
            let isMore = try connection.transaction { () throws(SQLiteError) in
                try removeRows(retention, at: wall, day: day)
            }
            return try shrink() || isMore
        } catch {
            throw StoreFailure(error)
        }
    }

    private func removeRows(
        _ retention: StoreRetention, at wall: UnixTime, day: UnixTime
    ) throws(SQLiteError) -> Bool {
        let oldest = try usedBytes() > retention.maxBytes ? try oldestMinute(until: wall) : nil
        var isMore = oldest != nil
        for table in StoreTable.all {
            guard var limit = retention.limit(table.kept, at: wall, day: day),
                let owner = table.owner
            else { continue }
            // Six hours a call, until the size is right.
            if table.kept == .minutes, let oldest {
                limit = max(limit, min(wall - StoreRetention.least, oldest + .seconds(6 * 3600)))
            }
            for id in try numbers("SELECT id FROM \(owner)") {
                isMore = try remove(from: table, of: id, before: limit) || isMore
            }
        }
        if !isMore {
            try names.forgetSources(before: retention.evidenceStart(at: wall, day: day))
        }
        return isMore
    }

    /// The oldest minute that may go; `nil` if there is none.
    private func oldestMinute(until wall: UnixTime) throws(SQLiteError) -> UnixTime? {
        let oldest = try connection.number(
            "SELECT min((SELECT min(start) FROM minutes WHERE queue=queues.id)) FROM queues"
        ).map(UnixTime.init(milliseconds:))
        return oldest.flatMap { $0 < wall - StoreRetention.least ? $0 : nil }
    }

    /// Removes the rows of a site or of a queue.
    ///
    /// - Returns: whether more is left to remove.
    private func remove(
        from table: StoreTable, of owner: Int64, before limit: UnixTime
    ) throws(SQLiteError) -> Bool {
        guard let time = table.time else { return false }
        let (name, owned) = (table.name, "\(table.key[0])=?1")
        let newest =
            table.keepsNewest
            ? " AND \(time)<(SELECT max(\(time)) FROM \(name) WHERE \(owned))" : ""
        try connection.run(
            """
            DELETE FROM \(name) WHERE id IN (SELECT id FROM \(name) WHERE \(owned) AND \(time)<?2
            \(newest) ORDER BY \(time) LIMIT \(Self.slice))
            """,
            [.integer(owner), .time(limit)])
        return connection.changes >= Self.slice
    }

    /// The bytes of the pages that hold rows.
    func usedBytes() throws(SQLiteError) -> Int {
        let pages = try connection.number("PRAGMA page_count") ?? 0
        let free = try connection.number("PRAGMA freelist_count") ?? 0
        return Int(pages - free) * Self.page
    }

    /// Returns free pages at the end of the file, beyond a reserve for new rows.
    ///
    /// - Returns: whether more of them are left.
    private func shrink() throws(SQLiteError) -> Bool {
        let pages = try connection.number("PRAGMA page_count") ?? 0
        let free = try connection.number("PRAGMA freelist_count") ?? 0
        let reserve = max(Int64(Self.freedPages), pages / 10)
        guard free > reserve else { return false }
        try connection.run(
            "PRAGMA incremental_vacuum(\(min(free - reserve, Int64(Self.freedPages))))")
        return free - reserve > Self.freedPages
    }

    private func numbers(_ text: String) throws(SQLiteError) -> [Int64] {
        var numbers: [Int64] = []
        try connection.query(text) { numbers.append($0.integer(0)) }
        return numbers
    }
}
