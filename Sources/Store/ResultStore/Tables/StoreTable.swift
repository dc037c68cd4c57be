import Primitives
import SQL

/// A table of the store: its columns, its key, and what becomes of its rows.
///
/// Creation, migration, insertion, the comparison with the index, recovery, retention and inventory follow from it, in each
/// engine.
package struct StoreTable: Sendable {
    /// What an insertion does if a row has the same key.
    package enum Conflict: Sendable {
        /// The stored row stays.
        case keep
        /// The stored row changes. The text is that of UPDATE, with the new values in `excluded`.
        case update(String)

        fileprivate var text: String {
            switch self {
            case .keep: "DO NOTHING"
            case .update(let changes): "DO UPDATE SET \(changes)"
            }
        }
    }

    package let name: String
    /// What its rows are, in words for people.
    package let content: String
    /// The version of the file that begins with it.
    package let since: Int
    /// The columns behind the number of a row, `id`.
    package let columns: [StoreColumn]
    /// The columns of the index. No two rows have the same values in them.
    package let key: [String]
    /// How long its rows are kept.
    package let kept: RetentionRule
    /// The column with the time of a row; `nil` if rows have none.
    package let time: String?
    /// Whether the newest row of each owner stays.
    package let keepsNewest: Bool
    /// Whether a row of a damaged file is one that was written.
    package let isIntact: @Sendable (SalvagedRow) -> Bool
    /// Whether a row of a page without a known table is of this one, and not of another with the same kinds of columns.
    package let isDistinct: @Sendable (SalvagedRow) -> Bool
    /// The values behind those of the key, for a row that only the index has. Other rows refer to it.
    package let rest: (@Sendable (_ key: [SQLValue], _ now: UnixTime) -> [SQLValue])?
    /// The statement that inserts a row, with its columns in their order.
    package let insertion: String
    /// That statement before and behind its values, for an engine that inserts many rows at once.
    package let beginning: String
    package let ending: String
    /// Whether a row with the same key changes the stored one.
    package let isUpdated: Bool

    init(
        _ name: String, _ content: String, since: Int = 1, _ columns: [StoreColumn], key: [String],
        conflict: Conflict = .keep, kept: RetentionRule = .always, time: String? = nil,
        keepsNewest: Bool = false,
        isIntact: @escaping @Sendable (SalvagedRow) -> Bool = { _ in true },
        isDistinct: @escaping @Sendable (SalvagedRow) -> Bool = { _ in true },
        rest: (@Sendable ([SQLValue], UnixTime) -> [SQLValue])? = nil
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
        let names = columns.map(\.quoted).joined(separator: ",")
        let target = key.map { "\"\($0)\"" }.joined(separator: ",")
        beginning = "INSERT INTO \(name)(\(names))"
        ending = "ON CONFLICT(\(target)) \(conflict.text)"
        let places = (1...columns.count).map { "$\($0)" }.joined(separator: ",")
        insertion = "\(beginning) VALUES(\(places)) \(ending)"
        if case .update = conflict { isUpdated = true } else { isUpdated = false }
    }

    /// The table that the first column of the key refers to: that of sites or that of queues.
    package var owner: String? { columns.first { $0.name == key.first }?.kind.reference }
}

/// A column of a table.
package struct StoreColumn: Sendable {
    package enum Kind: Sendable {
        case integer, text, bytes
        /// Milliseconds since the epoch.
        case time
        /// The bytes of a JSON text.
        case json
        /// The number of a row of `sites`, `queues` or `sources`.
        case site, queue, source

        /// The table that it refers to.
        package var reference: String? {
            switch self {
            case .site: "sites"
            case .queue: "queues"
            case .source: "sources"
            case .integer, .text, .bytes, .time, .json: nil
            }
        }
    }

    package let name: String
    package let kind: Kind
    /// The version of the file that begins with it; `nil` if it is as old as its table.
    package let since: Int?

    /// - Parameter since: the version that adds it to an older table. Its rows then have empty text or zero.
    init(_ name: String, _ kind: Kind, since: Int? = nil) {
        self.name = name
        self.kind = kind
        self.since = since
    }

    static let site = StoreColumn("site", .site)
    static let queue = StoreColumn("queue", .queue)
    static let source = StoreColumn("source", .source)

    /// Its name in statements: some are words of SQL.
    package var quoted: String { "\"\(name)\"" }
}

// MARK: - Statements

extension StoreTable {
    /// Whether rows of other tables refer to its rows.
    package var isReferenced: Bool {
        Self.all.contains { $0.columns.contains { $0.kind.reference == name } }
    }

    /// The newest version of all tables.
    package static let newestVersion =
        all.flatMap { [$0.since] + $0.columns.compactMap(\.since) }.max() ?? 1

    /// The query of all rows, with names for the numbers of sites, queues and sources.
    package var contents: String {
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
            case .integer, .text, .bytes, .time, .json: return "\(name).\(column.quoted)"
            }
        }
        return "SELECT \(values.joined(separator: ",")) FROM \(name)\(joins)"
    }
}

/// A row of a damaged file, whose bytes may be anything.
package struct SalvagedRow {
    /// Those of the columns.
    package let values: [SQLValue]
    package let table: StoreTable

    package init(values: [SQLValue], table: StoreTable) {
        self.values = values
        self.table = table
    }

    package func integer(_ column: String) -> Int64 {
        if case .integer(let number) = value(column) { number } else { 0 }
    }

    package func text(_ column: String) -> String {
        if case .text(let text) = value(column) { text } else { "" }
    }

    package func bytes(_ column: String) -> [UInt8] {
        if case .bytes(let bytes) = value(column) { bytes } else { [] }
    }

    private func value(_ column: String) -> SQLValue? {
        table.columns.firstIndex { $0.name == column }.map { values[$0] }
    }
}
