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
    /// How many rows one step compares with the index; `nil` for a table that no result is read from.
    let comparedRows: Int64?
    /// Whether a row of a damaged file is one that was written.
    let isIntact: @Sendable (SalvagedRow) -> Bool
    /// The statement that inserts a row, with its columns in their order.
    let insertion: String

    init(
        _ name: String, _ content: String, since: Int = 1, _ columns: [StoreColumn], key: [String],
        conflict: Conflict = .keep, kept: RetentionRule = .always, time: String? = nil,
        keepsNewest: Bool = false, comparedRows: Int64? = nil,
        isIntact: @escaping @Sendable (SalvagedRow) -> Bool = { _ in true }
    ) {
        self.name = name
        self.content = content
        self.since = since
        self.columns = columns
        self.key = key
        self.kept = kept
        self.time = time
        self.keepsNewest = keepsNewest
        self.comparedRows = comparedRows
        self.isIntact = isIntact
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

/// A row of a damaged file, whose bytes may be anything.
struct SalvagedRow {
    let row: SQLiteDatabase.Row
    let table: StoreTable

    func integer(_ column: String) -> Int64 { row.integer(index(column)) }
    func text(_ column: String) -> String { row.text(index(column)) }
    func bytes(_ column: String) -> [UInt8] { row.bytes(index(column)) }

    /// Column 0 has the number of the row.
    private func index(_ column: String) -> CInt {
        CInt(table.columns.firstIndex { $0.name == column }.map { $0 + 1 } ?? 0)
    }
}
