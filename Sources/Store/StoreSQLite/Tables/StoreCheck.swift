import ResultStore
import SQLite

/// The comparison of tables with their indexes, some rows at a time: those from which the running day is computed.
///
/// SQLite does not notice a damaged key, and silently leaves out the rows behind it. Browsers are served meanwhile.
struct StoreCheck {
    /// The tables from which the running day is computed.
    private static let tables = StoreTable.all.filter { $0.kept == .evidence }

    /// The rows of a step. A slow disk reads them in a tenth of a second.
    private static let most = 400

    private var table = 0
    /// The last compared row.
    private var id = Int64.min

    /// Whether all rows are compared.
    var isDone: Bool { table >= Self.tables.count }

    /// Nothing more is to be compared.
    mutating func end() { table = Self.tables.count }

    /// Compares the next rows.
    ///
    /// - Throws: an error of a damaged file, if its index does not have a row.
    mutating func step(_ connection: SQLiteDatabase) throws(SQLiteError) {
        guard !isDone else { return }
        let table = Self.tables[table]
        let isSameKey = table.key.map { "\($0)=row.\($0)" }.joined(separator: " AND ")
        var rows: Int64 = 0
        var missing = 0
        // With the plus sign, SQLite does not find the row by its number, and compares the columns with those of the key. In a
        // damaged index, a smaller key may follow an equal one, and count as equal.
        try connection.query(
            """
            SELECT id, EXISTS(SELECT 1 FROM \(table.name)
              WHERE \(isSameKey) AND +\(table.key[1])=row.\(table.key[1]) AND +id=row.id)
            FROM \(table.name) row NOT INDEXED WHERE id>? ORDER BY id LIMIT \(Self.most)
            """,
            [.integer(id)]
        ) { row in
            rows += 1
            id = row.integer(0)
            if row.integer(1) == 0 { missing += 1 }
        }
        guard missing == 0 else {
            throw SQLiteError(
                code: SQLiteError.notADatabase,
                message: "the index of \(table.name) does not have \(missing) of \(rows) rows")
        }
        if rows < Self.most {
            self.table += 1
            id = .min
        }
    }
}
