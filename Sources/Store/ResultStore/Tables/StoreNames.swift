import Primitives
import SQL

/// The numbers of sites, queues and sources, which they get with their first row.
package final class StoreNames<Connection: SQLConnection> {
    private let connection: Connection
    private var sites: [String: Int64] = [:]
    private var queues: [Int64: [String: Int64]] = [:]
    private var sources: [SourceKey: Source] = [:]

    private struct SourceKey: Hashable {
        let site: Int64
        let gateway: String
        let session: String
    }

    /// A session of a gateway.
    private struct Source {
        let id: Int64
        /// No fact of it is newer than this.
        var newest: UnixTime
    }

    /// The stored `newest` is ahead by so much, so that it seldom changes.
    private static var ahead: Duration { .seconds(3600) }

    package init(_ connection: Connection) { self.connection = connection }

    /// Numbers that were given in a transaction that failed do not exist.
    package func reset() {
        sites = [:]
        queues = [:]
        sources = [:]
    }

    package func site(_ name: String) throws(Connection.Failure) -> Int64 {
        if let id = sites[name] { return id }
        let found = try connection.number("SELECT id FROM sites WHERE name=$1", [.text(name)])
        let id =
            if let found { found } else {
                try number(in: .sites, [.text(name), .integer(Shard.of(name))])
            }
        sites[name] = id
        return id
    }

    package func queue(_ name: String, _ siteName: String) throws(Connection.Failure) -> Int64 {
        let site = try site(siteName)
        if let id = queues[site]?[name] { return id }
        let values: [SQLValue] = [.integer(site), .text(name)]
        let found = try connection.number(
            "SELECT id FROM queues WHERE site=$1 AND name=$2", values)
        let id =
            if let found { found } else {
                try number(in: .queues, values)
            }
        queues[site, default: [:]][name] = id
        return id
    }

    /// The number of a fact's session.
    package func source(
        of fact: StoreBatch.Fact, _ site: Int64
    ) throws(Connection.Failure) -> Int64 {
        let key = SourceKey(site: site, gateway: fact.gateway, session: fact.session)
        var source = sources[key]
        if source == nil {
            try connection.query(
                "SELECT id,newest FROM sources WHERE site=$1 AND gateway=$2 AND session=$3",
                [.integer(site), .text(fact.gateway), .text(fact.session)]
            ) { source = Source(id: $0.integer(0), newest: $0.time(1)) }
        }
        let newest = fact.start + Self.ahead
        if var known = source {
            if fact.start > known.newest {
                known.newest = newest
                try connection.run(
                    "UPDATE sources SET newest=$1 WHERE id=$2",
                    [.time(newest), .integer(known.id)])
            }
            sources[key] = known
            return known.id
        }
        let id = try number(
            in: .sources,
            [.integer(site), .text(fact.gateway), .text(fact.session), .time(newest)])
        sources[key] = Source(id: id, newest: newest)
        return id
    }

    /// Removes sessions without facts.
    package func forgetSources(before start: UnixTime) throws(Connection.Failure) {
        try connection.run("DELETE FROM sources WHERE newest<$1", [.time(start)])
        sources = sources.filter { $0.value.newest >= start }
    }

    /// Inserts a row, and returns its number.
    private func number(
        in table: StoreTable, _ values: [SQLValue]
    ) throws(Connection.Failure) -> Int64 {
        guard let id = try connection.number(table.insertion + " RETURNING id", values) else {
            throw Connection.missingRow()
        }
        return id
    }
}
