import PostgreSQL
import Primitives
import ResultStore
import SQL

/// The declared tables in PostgreSQL.
///
/// Rows of evidence are in partitions of a day, and minutes in partitions of a week: retention drops them as a whole.
enum PostgresSchema {
    /// "SLst": the advisory lock of the session that may write.
    static let lock: Int64 = 0x534c_7374

    /// Its one row has the version of the tables, and the last commit with its writer: a writer that has lost its connection
    /// during a commit finds there what became of it.
    static let state = "store_state"

    /// The statements that lead to `version` from the one before.
    static func migration(to version: Int) -> [String] {
        StoreTable.all.flatMap { table in
            table.since == version ? creation(of: table) : additions(to: table, version)
        }
    }

    static let stateCreation = """
        CREATE TABLE IF NOT EXISTS \(state)(
        version bigint NOT NULL, writer bigint NOT NULL, number bigint NOT NULL)
        """

    private static func creation(of table: StoreTable) -> [String] {
        let key = table.key.map { "\"\($0)\"" }.joined(separator: ",")
        var parts = table.columns.filter { $0.since == nil }.map(\.definition)
        if table.isReferenced {
            parts.insert("id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", at: 0)
            parts.append("UNIQUE(\(key))")
        } else {
            parts.append("PRIMARY KEY(\(key))")
        }
        guard let time = table.time else {
            return ["CREATE TABLE \(table.name)(\(parts.joined(separator: ",")))"]
        }
        let isParted = table.partition != nil
        return [
            "CREATE TABLE \(table.name)(\(parts.joined(separator: ",")))"
                + (isParted ? " PARTITION BY RANGE(\"\(time)\")" : ""),
            // Rows of a partition come about in the order of time.
            "CREATE INDEX ON \(table.name)"
                + (isParted
                    ? " USING brin(\"\(time)\") WITH(autosummarize=on)" : "(\"\(time)\")"),
        ]
    }

    private static func additions(to table: StoreTable, _ version: Int) -> [String] {
        table.columns.filter { $0.since == version && $0.since != table.since }.map { column in
            let value = column.kind.parameter.name == "bigint" ? "0" : "''"
            return "ALTER TABLE \(table.name) ADD COLUMN \(column.definition) DEFAULT \(value)"
        }
    }
}

extension StoreTable {
    /// The time of a partition; `nil` if the table has none.
    var partition: Duration? {
        switch kept {
        case .evidence: .seconds(86_400)
        case .minutes: .seconds(7 * 86_400)
        case .always, .sessions, .levels, .hours, .days, .inventory: nil
        }
    }

    /// The partition that has a time: its name, and the statements that create it.
    ///
    /// To attach a table waits for no reader, such as a backup.
    func partition(at time: UnixTime) -> (name: String, statements: [String])? {
        guard let partition else { return nil }
        let future = UnixTime.endOf9999.floored(to: partition, from: 0) + partition
        let start = time.floored(to: partition, from: 0)
        let isPast = time < 0
        let isFuture = start >= future
        let date = UTCTime(start.instant)
        let day = "\(date.year)_\(date.month.twoDigits)_\(date.day.twoDigits)"
        let name = "\(self.name)_\(isPast ? "past" : isFuture ? "future" : day)"
        let lower = isPast ? "MINVALUE" : "\((isFuture ? future : start).milliseconds)"
        let upper = isPast ? "0" : isFuture ? "MAXVALUE" : "\((start + partition).milliseconds)"
        return (
            name,
            [
                "CREATE TABLE \(name)(LIKE \(self.name) INCLUDING ALL)",
                "ALTER TABLE \(self.name) ATTACH PARTITION \(name) FOR VALUES FROM(\(lower)) TO(\(upper))",
            ]
        )
    }
}

extension Int64 {
    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}

extension StoreColumn {
    fileprivate var definition: String {
        let type = kind.parameter.name
        // Rows come in the order of their bytes, whatever the database's language.
        return "\(quoted) \(type)" + (type == "text" ? " COLLATE \"C\"" : "") + " NOT NULL"
    }
}

extension StoreColumn.Kind {
    var parameter: PostgresParameter.Kind {
        switch self {
        case .integer, .time, .site, .queue, .source: .integer
        // JSON as text is readable with psql, and keeps its bytes.
        case .text, .json: .text
        case .bytes: .bytes
        }
    }
}
