extension SQLiteDatabase {
    /// The ranges of rows that are tried. A damaged page costs about two for each of its rows.
    private static let mostRanges = 10_000

    /// Visits the readable rows of a table in a damaged file, in the order of their numbers where pages are unreadable.
    ///
    /// SQLite finds a row by its number without the pages beside it. A range that cannot be read is therefore halved until it
    /// has one row. The owner checks each row, since its bytes can be damaged, and a row can come twice.
    ///
    /// - Parameters:
    ///   - columns: the columns to read; the number of the row is `rowid`.
    ///   - highest: the highest number, in case that the table does not tell it.
    package func salvage(
        _ table: String, _ columns: String, highest: Int64? = nil, visit: (Row) -> Void
    ) {
        // First all rows in the order of the pages: numbers can be damaged too.
        let isWhole: Void? = try? query("SELECT \(columns) FROM \(table)", visit: visit)
        guard isWhole == nil else { return }
        let stored = (try? number("SELECT max(rowid) FROM \(table)")) ?? nil
        guard let highest = stored ?? highest, highest > 0 else { return }
        // The next range is the last one of the list.
        var ranges = [0...highest]
        for _ in 0..<Self.mostRanges {
            guard let range = ranges.popLast() else { return }
            var last = range.lowerBound
            let isRead: Void? = try? query(
                // Not `rowid>?`: that reads the page of the row before the range too.
                """
                SELECT rowid,\(columns) FROM \(table) WHERE rowid>=? AND rowid<=? ORDER BY rowid
                """,
                [.integer(range.lowerBound &+ 1), .integer(range.upperBound)]
            ) { row in
                last = min(max(last, row.integer(0)), range.upperBound)
                visit(row.dropping(1))
            }
            let rows = range.upperBound - last
            guard isRead == nil, rows > 1 else { continue }
            let middle = last + rows / 2
            ranges.append(middle...range.upperBound)
            ranges.append(last...middle)
        }
    }
}
