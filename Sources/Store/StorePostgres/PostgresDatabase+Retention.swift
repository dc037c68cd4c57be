import PostgreSQL
import Primitives
import ResultStore
import SQL

extension PostgresDatabase {
    /// The most rows that one call removes from each table.
    private static let slice: Int64 = 5000

    /// Drops partitions that are too old, and removes some of the other rows.
    ///
    /// - Returns: whether more is left to remove.
    func expire(
        _ retention: StoreRetention, at wall: UnixTime, day: UnixTime
    ) throws(PostgresError) -> Bool {
        var isMore = try drop(ifAbove: retention.maxBytes, until: wall - StoreRetention.least)
        for table in StoreTable.all {
            guard let limit = retention.limit(table.kept, at: wall, day: day) else { continue }
            if table.partition != nil { try drop(of: table, before: limit) }
            isMore = try remove(from: table, before: limit) || isMore
        }
        if !isMore {
            try names.forgetSources(before: retention.evidenceStart(at: wall, day: day))
        }
        return isMore
    }

    /// Drops the oldest minutes of tables that are too large.
    private func drop(
        ifAbove bytes: Int, until limit: UnixTime
    ) throws(PostgresError) -> Bool {
        guard try usedBytes() > bytes,
            let oldest = try ends(of: .minutes).filter({ $0.end <= limit })
                .min(by: { $0.end < $1.end })
        else { return false }
        return try drop(oldest.name)
    }

    private func drop(of table: StoreTable, before limit: UnixTime) throws(PostgresError) {
        for (name, end) in try ends(of: table) where end <= limit { _ = try drop(name) }
    }

    /// - Returns: whether it is dropped. A reader, such as a backup, may keep it: its rows are removed one by one, and a later
    ///   call drops it.
    private func drop(_ partition: String) throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            try connection.send("BEGIN")
            try connection.send("SET LOCAL lock_timeout='100ms'")
            try connection.send("DROP TABLE \(partition)")
            try connection.run("COMMIT")
        } catch {
            if !error.isLost { try connection.run("ROLLBACK") }
            guard error.isLocked else { throw error }
            return false
        }
        forget(partition: partition)
        return true
    }

    /// The partitions of a table with their ends.
    private func ends(
        of table: StoreTable
    ) throws(PostgresError) -> [(name: String, end: UnixTime)] {
        var found: [(name: String, end: UnixTime)] = []
        try connection.query(
            """
            SELECT relname::text,
            substring(pg_get_expr(relpartbound,pg_class.oid) FROM 'TO \\(''(\\d+)''\\)')::bigint
            FROM pg_inherits JOIN pg_class ON pg_class.oid=inhrelid WHERE inhparent=$1::regclass
            """, [.text(table.name)]
        ) { row in
            if !row.isNull(1) { found.append((row.text(0), row.time(1))) }
        }
        return found
    }

    private func remove(
        from table: StoreTable, before limit: UnixTime
    ) throws(PostgresError) -> Bool {
        guard let time = table.time.map({ "\"\($0)\"" }), table.owner != nil else { return false }
        let key = table.key.map { "\"\($0)\"" }.joined(separator: ",")
        let owner = table.key[0]
        let newest =
            table.keepsNewest
            ? """
            AND \(time)<(SELECT max(\(time)) FROM \(table.name) AS newest
            WHERE newest.\(owner)=old.\(owner))
            """ : ""
        let removed = try connection.number(
            """
            WITH removed AS (DELETE FROM \(table.name) WHERE (\(key)) IN (
            SELECT \(key) FROM \(table.name) AS old WHERE \(time)<$1 \(newest)
            ORDER BY \(time) LIMIT $2) AND \(time)<$1 RETURNING 1)
            SELECT count(*) FROM removed
            """, [.time(limit), .integer(Self.slice)])
        return removed ?? 0 >= Self.slice
    }

    /// The bytes of the tables with their indexes.
    private func usedBytes() throws(PostgresError) -> Int64 {
        let names = StoreTable.all.map { "'\($0.name)'" }.joined(separator: ",")
        return try connection.number(
            """
            SELECT sum(pg_total_relation_size(relid))::bigint FROM (
            SELECT (pg_partition_tree(name::regclass)).relid FROM unnest(ARRAY[\(names)]) AS name
            ) AS relations
            """) ?? 0
    }
}
