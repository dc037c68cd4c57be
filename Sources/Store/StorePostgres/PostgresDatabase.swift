import PostgreSQL
import Primitives
import ResultStore
import SQL

/// An open database: one session, which holds the lock of the writer.
package final class PostgresDatabase: StoreRows {
    package let connection: PostgresConnection
    package let names: StoreNames<PostgresConnection>
    package let merge: SummaryMerge
    private var partitions: Set<String> = []
    /// The last commit that the database has.
    private(set) var last: (writer: Int64, number: Int64) = (0, 0)

    /// Connects, and creates or migrates the tables.
    init(
        _ settings: String, limit: Duration, merge: @escaping SummaryMerge
    ) throws(StoreFailure) {
        self.merge = merge
        do throws(PostgresError) {
            connection = try PostgresConnection(
                settings, defaults: Self.defaults + [("target_session_attrs", "read-write")],
                limit: limit)
            names = StoreNames(connection)
            try prepare(limit)
        } catch {
            throw StoreFailure(error)
        }
        try migrate()
    }

    /// A connection without an answer ends after some seconds, also while nothing is sent. A connection string has its own values.
    static let defaults: [(keyword: String, value: String)] = [
        ("fallback_application_name", "sightline-server"), ("keepalives_idle", "5"),
        ("keepalives_interval", "2"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
    ]

    private func prepare(_ limit: Duration) throws(PostgresError) {
        let milliseconds = limit.milliseconds
        // Longer than this side's limit: a time-out would end a wait for a synchronous standby, and the commit would count as done.
        for setting in [
            "statement_timeout=\(milliseconds * 2)", "lock_timeout=\(milliseconds / 2)",
            "idle_in_transaction_session_timeout=\(milliseconds * 2)", "timezone=UTC",
        ] {
            try connection.send("SET \(setting)")
        }
        // A commit is on the disk: a role's or database's own setting can't change that.
        try connection.run(
            """
            SELECT set_config('synchronous_commit','on',false)
            WHERE current_setting('synchronous_commit')='off'
            """)
        // The database notices the end of this process, and releases its lock. Some systems can't (client_connection_check_interval).
        do throws(PostgresError) {
            try connection.run("SET client_connection_check_interval='1s'")
        } catch { if error.isLost { throw error } }
    }

    private func migrate() throws(StoreFailure) {
        do throws(PostgresError) {
            try connection.query("SHOW server_encoding") { isUnicode = $0.text(0) == "UTF8" }
            guard isUnicode else {
                throw PostgresError(
                    code: nil,
                    message: "its encoding is not UTF8: create the database with ENCODING UTF8",
                    isLost: false)
            }
            try connection.query(
                "SELECT pg_advisory_lock($1)", [.integer(PostgresSchema.lock)]
            ) { _ in }
        } catch {
            connection.close()
            throw error.isLocked
                ? StoreFailure(
                    .unavailable,
                    "another server writes to this database: it takes one server at a time")
                : StoreFailure(error)
        }
        var version = 0
        do throws(PostgresError) {
            version = try begin()
            if version < StoreTable.newestVersion { try create(from: version) }
            for table in StoreTable.all where table.partition != nil {
                try connection.query(
                    """
                    SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid=inhrelid
                    WHERE inhparent=$1::regclass
                    """, [.text(table.name)]
                ) { partitions.insert($0.text(0)) }
            }
            try connection.run("COMMIT")
        } catch {
            connection.close()
            throw StoreFailure(
                .unavailable, "cannot create the tables of the store: \(error.description)")
        }
        guard version <= StoreTable.newestVersion else {
            connection.close()
            throw StoreFailure(
                .newer,
                "the tables of the database are of version \(version), and this program knows "
                    + "versions up to \(StoreTable.newestVersion): install the newer program again")
        }
    }

    private var isUnicode = false

    /// - Returns: the version of the tables; 0 if there are none.
    private func begin() throws(PostgresError) -> Int {
        var version = 0
        try connection.send("BEGIN")
        try connection.send(PostgresSchema.stateCreation)
        try connection.query("SELECT version,writer,number FROM \(PostgresSchema.state)") { row in
            version = Int(row.integer(0))
            last = (row.integer(1), row.integer(2))
        }
        return version
    }

    private func create(from version: Int) throws(PostgresError) {
        for next in (version + 1)...StoreTable.newestVersion {
            for statement in PostgresSchema.migration(to: next) {
                try connection.send(statement)
            }
        }
        let state = PostgresSchema.state
        try connection.run(
            version == 0
                ? "INSERT INTO \(state) VALUES(\(StoreTable.newestVersion),0,0)"
                : "UPDATE \(state) SET version=\(StoreTable.newestVersion)")
    }

    // MARK: Rows

    /// Stores a batch wholly or not at all.
    ///
    /// - Parameters:
    ///   - writer: the number of this server's run.
    ///   - number: of the commit.
    func commit(_ batch: StoreBatch, writer: Int64, number: Int64) throws(PostgresError) {
        do throws(PostgresError) {
            try connection.send("BEGIN")
            try write(batch)
            try connection.send(
                "UPDATE \(PostgresSchema.state) SET writer=$1,number=$2",
                [.one(.integer(writer)), .one(.integer(number))])
            try connection.run("COMMIT")
        } catch {
            names.reset()
            partitions.subtract(created)
            created = []
            if !error.isLost { try connection.run("ROLLBACK") }
            throw error
        }
        created = []
    }

    /// Partitions that the running transaction creates.
    private var created: Set<String> = []

    package func insert(
        _ rows: [[SQLValue]], into table: StoreTable
    ) throws(PostgresError) {
        for rows in try prepared(rows, for: table) {
            try connection.send(Self.insertion(table), Self.columns(rows, of: table))
        }
    }

    package func change(
        _ rows: [[SQLValue]], in table: StoreTable
    ) throws(PostgresError) -> [Bool] {
        let key = table.key.map { "\"\($0)\"" }.joined(separator: ",")
        let statement = "\(Self.insertion(table)) RETURNING \(key)"
        var changed: [Set<[Int64]>] = []
        let rounds = try prepared(rows, for: table)
        for rows in rounds {
            var keys: Set<[Int64]> = []
            try connection.query(statement, with: Self.columns(rows, of: table)) { row in
                keys.insert(table.key.indices.map { row.integer(CInt($0)) })
            }
            changed.append(keys)
        }
        let places = table.places(table.key)
        return rows.map { row in
            let key: [Int64] = places.map { place in
                if case .integer(let number) = row[place] { number } else { 0 }
            }
            return changed.contains { $0.contains(key) }
        }
    }

    /// The rows in parts, none of which has a key twice if it changes rows: one statement can't change a row again.
    private func prepared(
        _ rows: [[SQLValue]], for table: StoreTable
    ) throws(PostgresError) -> [[[SQLValue]]] {
        guard !rows.isEmpty else { return [] }
        try createPartitions(for: rows, of: table)
        guard table.isUpdated else { return [rows] }
        let places = table.places(table.key)
        var rounds: [(keys: Set<[SQLValue]>, rows: [[SQLValue]])] = []
        for row in rows {
            let key = places.map { row[$0] }
            // Later rows with the same key stay behind earlier ones.
            let last = rounds.lastIndex { $0.keys.contains(key) } ?? -1
            if last + 1 == rounds.count { rounds.append(([], [])) }
            rounds[last + 1].keys.insert(key)
            rounds[last + 1].rows.append(row)
        }
        return rounds.map(\.rows)
    }

    private func createPartitions(
        for rows: [[SQLValue]], of table: StoreTable
    ) throws(PostgresError) {
        guard let partition = table.partition, let time = table.time,
            let place = table.places([time]).first
        else { return }
        var starts: Set<UnixTime> = []
        for row in rows {
            guard case .integer(let milliseconds) = row[place] else { continue }
            let time = UnixTime(milliseconds: milliseconds)
            starts.insert(time < 0 ? .min : time.floored(to: partition, from: 0))
        }
        for start in starts {
            guard let (name, statements) = table.partition(at: start),
                partitions.insert(name).inserted
            else { continue }
            created.insert(name)
            for statement in statements { try connection.send(statement) }
        }
    }

    /// Partitions that were dropped.
    func forget(partition: String) { partitions.remove(partition) }

    private static func insertion(_ table: StoreTable) -> String {
        let columns = zip(1..., table.columns).map { "$\($0)::\($1.kind.parameter.name)[]" }
        return "\(table.beginning) SELECT * FROM unnest(\(columns.joined(separator: ","))) "
            + "\(table.ending)"
    }

    private static func columns(
        _ rows: [[SQLValue]], of table: StoreTable
    ) -> [PostgresParameter] {
        table.columns.indices.map { index in
            .column(table.columns[index].kind.parameter, rows.map { $0[index] })
        }
    }

    package func summaries(
        of spans: [StoredSpan], in table: StoreTable
    ) throws(PostgresError) -> [[[UInt8]]] {
        var found: [[[UInt8]]] = Array(repeating: [], count: spans.count)
        let values: [[SQLValue]] = [
            spans.map { .integer($0.queue) }, spans.map { .time($0.range.lowerBound) },
            spans.map { .time($0.range.upperBound) },
        ]
        try connection.query(
            """
            SELECT spans.number,summary FROM
            unnest($1::bigint[],$2::bigint[],$3::bigint[]) WITH ORDINALITY
            AS spans(queue,lower,upper,number) JOIN \(table.name) AS rows
            ON rows.queue=spans.queue AND start>=lower AND start<upper ORDER BY number,start
            """,
            with: values.map { .column(.integer, $0) }
        ) { row in
            let index = Int(row.integer(0)) - 1
            if found.indices.contains(index) { found[index].append(row.bytes(1)) }
        }
        return found
    }
}

extension StoreTable {
    /// The places of columns.
    func places(_ names: [String]) -> [Int] {
        names.compactMap { name in columns.firstIndex { $0.name == name } }
    }
}

extension StoreFailure {
    init(_ error: PostgresError) { self.init(.unavailable, error.description) }
}
