import Facts
import Primitives
import SQL

extension StoreRows {
    /// Reads the windows of a site that start in `range`, in canonical order, one after the other.
    ///
    /// - Returns: the rows that are damaged, and were left out.
    package func facts(
        of site: String, in range: Range<UnixTime>, limit: Int = .max,
        visit: (String, WindowFact) -> Void
    ) throws(Connection.Failure) -> Int {
        guard let site = try knownSite(site) else { return 0 }
        let sources = try sources(of: site)
        var damaged = 0
        /// Windows with the same start, in the order of the index.
        var tied: [(gateway: String, fact: WindowFact)] = []
        func release() {
            if tied.count > 1 {
                tied.sort { ($0.fact, $0.gateway) < ($1.fact, $1.gateway) }
            }
            for (gateway, fact) in tied { visit(gateway, fact) }
            tied.removeAll(keepingCapacity: true)
        }
        try connection.query(
            """
            SELECT start,source,number,body FROM facts WHERE site=$1 AND start>=$2 AND start<$3
            ORDER BY start,source,number LIMIT $4
            """,
            [
                .integer(site), .time(range.lowerBound), .time(range.upperBound),
                .integer(Int64(limit)),
            ]
        ) { row in
            let start = row.time(0)
            guard let source = sources[row.integer(1)],
                let fact = try? WindowFact(
                    stored: row.bytes(3), session: source.session,
                    number: UInt64(bitPattern: row.integer(2)), start: start)
            else {
                damaged += 1
                return
            }
            if tied.last?.fact.span.lowerBound != start { release() }
            tied.append((source.gateway, fact))
        }
        release()
        return damaged
    }

    /// Whether there is a window of a gateway.
    package func has(
        _ window: WindowFact, of gateway: String, at site: String
    ) throws(Connection.Failure) -> Bool {
        guard let site = try knownSite(site) else { return false }
        // Both tables are read by their unique indexes.
        return try connection.number(
            """
            SELECT 1 FROM facts WHERE site=$1 AND start=$2 AND number=$3 AND source=
            (SELECT id FROM sources WHERE site=$1 AND gateway=$4 AND session=$5)
            """,
            [
                .integer(site), .time(window.span.lowerBound),
                .integer(Int64(bitPattern: window.number)), .text(gateway),
                .text(window.session),
            ]) != nil
    }

    /// The number of a gateway's windows that start in `range`: `limit` at most.
    package func count(
        of gateway: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(Connection.Failure) -> Int {
        guard let site = try knownSite(site) else { return 0 }
        let count = try connection.number(
            """
            SELECT count(*) FROM (SELECT 1 FROM facts WHERE site=$1 AND start>=$2 AND start<$3
            AND source IN (SELECT id FROM sources WHERE site=$1 AND gateway=$4) LIMIT $5) AS found
            """,
            [
                .integer(site), .time(range.lowerBound), .time(range.upperBound), .text(gateway),
                .integer(Int64(limit)),
            ])
        return Int(count ?? 0)
    }

    /// The start of the window that follows the first `count` ones in `range`; its end where none follows.
    package func start(
        after count: Int, of site: String, in range: Range<UnixTime>
    ) throws(Connection.Failure) -> UnixTime {
        guard let site = try knownSite(site) else { return range.upperBound }
        return try connection.number(
            """
            SELECT start FROM facts WHERE site=$1 AND start>=$2 AND start<$3
            ORDER BY start LIMIT 1 OFFSET $4
            """,
            [
                .integer(site), .time(range.lowerBound), .time(range.upperBound),
                .integer(Int64(count)),
            ]
        ).map(UnixTime.init(milliseconds:)) ?? range.upperBound
    }

    private func sources(
        of site: Int64
    ) throws(Connection.Failure) -> [Int64: (gateway: String, session: String)] {
        var sources: [Int64: (gateway: String, session: String)] = [:]
        try connection.query(
            "SELECT id,gateway,session FROM sources WHERE site=$1", [.integer(site)]
        ) { sources[$0.integer(0)] = ($0.text(1), $0.text(2)) }
        return sources
    }
}
