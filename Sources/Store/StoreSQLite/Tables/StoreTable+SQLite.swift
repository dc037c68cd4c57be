import Primitives
import ResultStore
import SQL

// MARK: - Statements

extension StoreTable {
    /// The statements that lead from the version before to `version`.
    func migration(to version: Int) -> [String] {
        if since == version {
            let first = columns.filter { $0.since == nil }.map { $0.definition + "," }.joined()
            let unique = key.joined(separator: ",")
            return ["CREATE TABLE \(name)(id INTEGER PRIMARY KEY,\(first)UNIQUE(\(unique)));"]
        }
        return columns.filter { $0.since == version }
            .map { "ALTER TABLE \(name) ADD COLUMN \($0.addition);" }
    }

    /// The query of all rows in the order of their insertion.
    var contentsInOrder: String { "\(contents) ORDER BY \(name).id" }
}

extension StoreColumn {
    /// Its part of the statement that creates the table.
    fileprivate var definition: String { "\(name) \(kind.affinity) NOT NULL" }

    /// Its part of the statement that adds it to a table with rows.
    fileprivate var addition: String {
        definition + (kind.affinity == "INTEGER" ? " DEFAULT 0" : " DEFAULT ''")
    }
}

extension StoreColumn.Kind {
    fileprivate var affinity: String {
        switch self {
        case .integer, .time, .site, .queue, .source: "INTEGER"
        case .text: "TEXT"
        case .bytes, .json: "BLOB"
        }
    }
}

// MARK: - Recovery

extension StoreTable {
    /// The values of a row's columns; `nil` if they are of another table.
    ///
    /// - Parameter stored: the values of a row in a page. The number of the row is NULL there.
    func row(_ stored: [SQLValue?]) -> [SQLValue]? {
        guard let id = stored.first, id == nil, stored.count <= columns.count + 1 else {
            return nil
        }
        var values: [SQLValue] = []
        for (index, column) in zip(1..., columns) {
            guard index < stored.count else {
                // The row is older than the column.
                guard column.since != nil else { return nil }
                values.append(column.kind.empty)
                continue
            }
            guard let value = stored[index], column.kind.takes(value) else { return nil }
            values.append(value)
        }
        return values
    }

    /// The same for a row that only the index has.
    func row(
        key: ArraySlice<SQLValue?>, at now: UnixTime
    ) -> [SQLValue]? {
        let key = key.compactMap(\.self)
        guard key.count == self.key.count, let rest else { return nil }
        return row([nil] + key + rest(key, now))
    }
}

extension StoreColumn.Kind {
    fileprivate var empty: SQLValue { affinity == "INTEGER" ? .integer(0) : .text("") }

    fileprivate func takes(_ value: SQLValue) -> Bool {
        switch value {
        case .integer: affinity == "INTEGER"
        case .text: affinity == "TEXT"
        case .bytes: affinity == "BLOB"
        }
    }
}
