import PostgreSQL
import Primitives
import ResultStore
import SQL

/// Stores in a database of PostgreSQL.
package struct PostgresEngine: StoreEngine {
    /// A connection string of libpq.
    private let settings: String

    package init(_ settings: String) { self.settings = settings }

    package var fault: String? { PostgresConnection.fault(of: settings) }

    package func place(in folder: String) -> String { "the database \(settings)" }

    package func exists(at place: String) -> Bool { place == self.place(in: "") }

    /// No journal: the broker keeps the messages of a batch that the database has not taken.
    package func open(
        _ place: String, journal: String?, retention: StoreRetention, at now: Instant,
        merge: @escaping SummaryMerge
    ) -> any ResultStore {
        PostgresStore(settings, retention: retention, at: now, merge: merge)
    }

    /// For readers: a standby answers too, and a large table takes some time.
    private func connect() throws(PostgresError) -> PostgresConnection {
        try PostgresConnection(
            settings, defaults: PostgresDatabase.defaults, limit: .seconds(120))
    }

    package func inventory(of place: String) throws(StoreFailure) -> StoreInventory {
        do throws(PostgresError) {
            let connection = try connect()
            defer { connection.close() }
            var tables: [StoreInventory.Table] = []
            for table in StoreTable.all.sorted(by: { $0.name < $1.name }) {
                let time = table.time.map { "\"\($0)\"" } ?? "NULL::bigint"
                try connection.query(
                    "SELECT count(*),min(\(time)),max(\(time)) FROM \(table.name)"
                ) { row in
                    let low = row.time(1)
                    tables.append(
                        StoreInventory.Table(
                            name: table.name, content: table.content, kept: table.kept,
                            rows: Int(row.integer(0)),
                            times: row.isNull(1) ? nil : low...max(low, row.time(2))))
                }
            }
            let bytes = try connection.number("SELECT pg_database_size(current_database())")
            return StoreInventory(
                tables: tables,
                files: [.init(path: place, bytes: bytes ?? 0, isSetAside: false)])
        } catch {
            throw StoreFailure(error)
        }
    }

    package func rows(
        of place: String, visit: (_ table: String, _ row: Int64, _ values: [[UInt8]]) -> Void
    ) throws(StoreFailure) {
        do throws(PostgresError) {
            let connection = try connect()
            defer { connection.close() }
            try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            for table in StoreTable.all.map(\.name) + [PostgresSchema.state] {
                var number: Int64 = 0
                try connection.send("DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM \(table)")
                var isMore = true
                while isMore {
                    isMore = false
                    try connection.query("FETCH 2000 FROM rows") { row in
                        isMore = true
                        number += 1
                        visit(table, number, (0..<row.columns).map { row.bytes($0) })
                    }
                }
                try connection.run("CLOSE rows")
            }
        } catch {
            throw StoreFailure(error)
        }
    }
}
