import Primitives
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
        let evidence = retention.evidenceStart(at: wall, day: day)
        var isMore = false
        for site in try numbers("SELECT id FROM sites") {
            isMore = try remove("facts", "site", site, "start", before: evidence) || isMore
            // The newest levels stay: the next day of the site begins with them.
            try connection.run(
                """
                DELETE FROM site_days WHERE site=?1 AND start<?2
                AND start<(SELECT max(start) FROM site_days WHERE site=?1)
                """,
                [.integer(site), .time(evidence - StoreRetention.levels)])
        }
        try connection.run(
            "DELETE FROM visit_counts WHERE day<?",
            [.time(evidence - StoreRetention.levels)])
        if !isMore { try forgetSources(before: evidence) }
        var minutes = wall - max(StoreRetention.least, retention.minutes)
        // Six hours a call, until the size is right.
        if try usedBytes() > retention.maxBytes {
            let oldest =
                try connection.number(
                    """
                    SELECT min((SELECT min(start) FROM minutes WHERE queue=queues.id)) FROM queues
                    """
                )
                .map(UnixTime.init(milliseconds:)) ?? wall
            let newest = wall - StoreRetention.least
            isMore = isMore || oldest < newest
            minutes = max(minutes, min(newest, oldest + .seconds(6 * 3600)))
        }
        let hours = wall - max(StoreRetention.least, retention.hours)
        let days = wall - max(StoreRetention.least, retention.days)
        for queue in try numbers("SELECT id FROM queues") {
            for (table, column, time) in [
                ("visits", "left", evidence), ("receipts", "at", evidence),
                ("minutes", "start", minutes),
                ("hours", "start", hours), ("days", "start", days),
            ] {
                isMore = try remove(table, "queue", queue, column, before: time) || isMore
            }
        }
        return isMore
    }

    /// - Returns: whether more is left to remove.
    private func remove(
        _ table: String, _ owner: String, _ id: Int64, _ column: String, before time: UnixTime
    ) throws(SQLiteError) -> Bool {
        try connection.run(
            """
            DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) WHERE \(owner)=? AND \(column)<?
            ORDER BY \(column) LIMIT \(Self.slice))
            """,
            [.integer(id), .time(time)])
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
