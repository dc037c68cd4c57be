import SQLite
import Sightings

extension DatabaseStore {
    /// Reads the rows of a corrupt file in their order, apart from the pages that SQLite cannot read.
    static func scan(
        _ path: String, claimed: Int64?, visit: (RecoveredRow) -> Void
    ) -> RecoveryScan? {
        guard let database = try? SQLiteDatabase(path: path, .salvage),
            // SQLite refuses a page for one damaged cell, unless the check is off. The checksums protect each row.
            (try? database.run(
                """
                PRAGMA locking_mode=EXCLUSIVE; PRAGMA cell_size_check=OFF; PRAGMA cache_size=-512;
                PRAGMA temp_store=MEMORY;
                """)) != nil
        else { return nil }
        defer { database.close() }
        func number(_ text: String) -> Int64? {
            var number: Int64?
            try? database.query(text) { number = $0.isNull(0) ? nil : $0.integer(0) }
            return number
        }
        var scan = RecoveryScan()
        scan.count = number("SELECT count(*) FROM parcels").map { Int(clamping: $0) }
        let highest = number("SELECT seq FROM sqlite_sequence WHERE name='parcels'")
        let stored = number("SELECT max(id) FROM claimed")
        let claimed = claimed ?? stored.flatMap { 0 <= $0 && $0 <= highest ?? -1 ? $0 : nil }
        salvage(database, highest: number("SELECT max(id) FROM parcels") ?? highest) { row in
            let found = RecoveredRow(
                id: row.integer(0), header: try? BatchHeader(decoding: row.bytes(1)),
                stored: try? StoredBatch(decoding: row.bytes(2)), claimed: claimed)
            if let found { visit(found) }
        }
        let isComplete: Void? = try? database.query("SELECT body FROM losses") { row in
            if let (session, loss) = try? Loss.decoding(row.bytes(0)) {
                scan.losses[session] = loss
            } else {
                scan.knowsLosses = false
            }
        }
        if isComplete == nil { scan.knowsLosses = false }
        return scan
    }

    /// The ranges of rows that are tried. A damaged page costs about two for each of its rows.
    private static let mostRanges = 10_000

    /// Visits the rows in the order of their numbers.
    ///
    /// SQLite finds a row by its number without the pages beside it. A range that cannot be read is therefore halved until it
    /// has one row.
    private static func salvage(
        _ database: SQLiteDatabase, highest: Int64?, visit: (SQLiteDatabase.Row) -> Void
    ) {
        // First all rows in the order of the pages: numbers can be damaged too.
        let isWhole: Void? = try? database.query(
            "SELECT id,head,body FROM parcels", visit: visit)
        guard isWhole == nil, let highest, highest > 0 else { return }
        // The next range is the last one of the list.
        var ranges = [0...highest]
        for _ in 0..<mostRanges {
            guard let range = ranges.popLast() else { return }
            var last = range.lowerBound
            let isRead: Void? = try? database.query(
                // Not `id>?`: that reads the page of the row before the range too.
                "SELECT id,head,body FROM parcels WHERE id>=? AND id<=? ORDER BY id",
                [.integer(range.lowerBound &+ 1), .integer(range.upperBound)]
            ) { row in
                last = min(max(last, row.integer(0)), range.upperBound)
                visit(row)
            }
            let rows = range.upperBound - last
            guard isRead == nil, rows > 1 else { continue }
            let middle = last + rows / 2
            ranges.append(middle...range.upperBound)
            ranges.append(last...middle)
        }
    }
}
