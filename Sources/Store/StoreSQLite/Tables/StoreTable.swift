import Primitives
import ResultStore
import SQLite

/// A table of the store: its columns, its key, and what becomes of its rows.
///
/// Creation, migration, insertion, the comparison with the index, recovery, retention and inventory follow from it.
struct StoreTable: Sendable {
    /// What an insertion does if a row has the same key.
    enum Conflict: Sendable {
        /// The stored row stays.
        case keep
        /// The stored row changes. The text is that of SQLite's UPDATE, with the new values in `excluded`.
        case update(String)

        fileprivate var text: String {
            switch self {
            case .keep: "DO NOTHING"
            case .update(let changes): "DO UPDATE SET \(changes)"
            }
        }
    }

    let name: String
    /// What its rows are, in words for people.
    let content: String
    /// The version of the file that begins with it.
    let since: Int
    /// The columns behind the number of a row, `id`.
    let columns: [StoreColumn]
    /// The columns of the index. No two rows have the same values in them.
    let key: [String]
    /// How long its rows are kept.
    let kept: RetentionRule
    /// The column with the time of a row; `nil` if rows have none.
    let time: String?
    /// Whether the newest row of each owner stays.
    let keepsNewest: Bool
    /// Whether a row of a damaged file is one that was written.
    let isIntact: @Sendable (SalvagedRow) -> Bool
    /// Whether a row of a page without a known table is of this one, and not of another with the same kinds of columns.
    let isDistinct: @Sendable (SalvagedRow) -> Bool
    /// The values behind those of the key, for a row that only the index has. Other rows refer to it.
    let rest:
        (@Sendable (_ key: [SQLiteDatabase.Value], _ now: UnixTime) -> [SQLiteDatabase.Value])?
    /// The statement that inserts a row, with its columns in their order.
    let insertion: String

    init(
        _ name: String, _ content: String, since: Int = 1, _ columns: [StoreColumn], key: [String],
        conflict: Conflict = .keep, kept: RetentionRule = .always, time: String? = nil,
        keepsNewest: Bool = false,
        isIntact: @escaping @Sendable (SalvagedRow) -> Bool = { _ in true },
        isDistinct: @escaping @Sendable (SalvagedRow) -> Bool = { _ in true },
        rest: (@Sendable ([SQLiteDatabase.Value], UnixTime) -> [SQLiteDatabase.Value])? = nil
    ) {
        self.name = name
        self.content = content
        self.since = since
        self.columns = columns
        self.key = key
        self.kept = kept
        self.time = time
        self.keepsNewest = keepsNewest
        self.isIntact = isIntact
        self.isDistinct = isDistinct
        self.rest = rest
        let names = columns.map(\.name).joined(separator: ",")
        let places = repeatElement("?", count: columns.count).joined(separator: ",")
        insertion =
            "INSERT INTO \(name)(\(names)) VALUES(\(places)) ON CONFLICT \(conflict.text)"
    }

    /// The table that the first column of the key refers to: that of sites or that of queues.
    var owner: String? { columns.first { $0.name == key.first }?.kind.reference }
}

/// A column of a table.
struct StoreColumn: Sendable {
    enum Kind: Sendable {
        case integer, text, bytes
        /// Milliseconds since the epoch.
        case time
        /// The bytes of a JSON text.
        case json
        /// The number of a row of `sites`, `queues` or `sources`.
        case site, queue, source

        /// The table that it refers to.
        var reference: String? {
            switch self {
            case .site: "sites"
            case .queue: "queues"
            case .source: "sources"
            case .integer, .text, .bytes, .time, .json: nil
            }
        }

        fileprivate var affinity: String {
            switch self {
            case .integer, .time, .site, .queue, .source: "INTEGER"
            case .text: "TEXT"
            case .bytes, .json: "BLOB"
            }
        }
    }

    let name: String
    let kind: Kind
    /// The version of the file that begins with it; `nil` if it is as old as its table.
    let since: Int?

    /// - Parameter since: the version that adds it to an older table. Its rows then have empty text or zero.
    init(_ name: String, _ kind: Kind, since: Int? = nil) {
        self.name = name
        self.kind = kind
        self.since = since
    }

    static let site = StoreColumn("site", .site)
    static let queue = StoreColumn("queue", .queue)
    static let source = StoreColumn("source", .source)

    /// Its part of the statement that creates the table.
    fileprivate var definition: String { "\(name) \(kind.affinity) NOT NULL" }

    /// Its part of the statement that adds it to a table with rows.
    fileprivate var addition: String {
        definition + (kind.affinity == "INTEGER" ? " DEFAULT 0" : " DEFAULT ''")
    }
}

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

    /// The query of all rows in the order of their insertion, with names for the numbers of sites, queues and sources.
    var contents: String {
        var joins = ""
        let values = columns.map { column in
            if let other = column.kind.reference {
                joins += " JOIN \(other) ON \(other).id=\(name).\(column.name)"
            }
            switch column.kind {
            case .site: return "sites.name"
            case .queue:
                joins += " JOIN sites ON sites.id=queues.site"
                return "sites.name,queues.name"
            case .source: return "sources.gateway,sources.session"
            case .integer, .text, .bytes, .time, .json: return "\(name).\(column.name)"
            }
        }
        return "SELECT \(values.joined(separator: ",")) FROM \(name)\(joins) ORDER BY \(name).id"
    }
}

// MARK: - Recovery

extension StoreTable {
    /// Whether rows of other tables refer to its rows.
    var isReferenced: Bool {
        Self.all.contains { $0.columns.contains { $0.kind.reference == name } }
    }

    /// The values of a row's columns; `nil` if they are of another table.
    ///
    /// - Parameter stored: the values of a row in a page. The number of the row is NULL there.
    func row(_ stored: [SQLiteDatabase.Value?]) -> [SQLiteDatabase.Value]? {
        guard let id = stored.first, id == nil, stored.count <= columns.count + 1 else {
            return nil
        }
        var values: [SQLiteDatabase.Value] = []
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
        key: ArraySlice<SQLiteDatabase.Value?>, at now: UnixTime
    ) -> [SQLiteDatabase.Value]? {
        let key = key.compactMap(\.self)
        guard key.count == self.key.count, let rest else { return nil }
        return row([nil] + key + rest(key, now))
    }
}

extension StoreColumn.Kind {
    fileprivate var empty: SQLiteDatabase.Value { affinity == "INTEGER" ? .integer(0) : .text("") }

    fileprivate func takes(_ value: SQLiteDatabase.Value) -> Bool {
        switch value {
        case .integer: affinity == "INTEGER"
        case .text: affinity == "TEXT"
        case .bytes: affinity == "BLOB"
        }
    }
}

/// A row of a damaged file, whose bytes may be anything.
struct SalvagedRow {
    /// Those of the columns.
    let values: [SQLiteDatabase.Value]
    let table: StoreTable

    func integer(_ column: String) -> Int64 {
        if case .integer(let number) = value(column) { number } else { 0 }
    }

    func text(_ column: String) -> String {
        if case .text(let text) = value(column) { text } else { "" }
    }

    func bytes(_ column: String) -> [UInt8] {
        if case .bytes(let bytes) = value(column) { bytes } else { [] }
    }

    private func value(_ column: String) -> SQLiteDatabase.Value? {
        table.columns.firstIndex { $0.name == column }.map { values[$0] }
    }
}
