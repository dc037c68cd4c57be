import Facts
import Primitives
import Queueing
import SQL

extension HistoryStep {
    package var table: StoreTable {
        switch self {
        case .hour: .hours
        case .day: .days
        }
    }
}

extension StoreRows {
    package func minutes(
        of queue: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(Connection.Failure) -> [StoredMinute] {
        var minutes: [StoredMinute] = []
        guard let queue = try known(queue, site) else { return [] }
        try connection.query(
            """
            SELECT start,"end",rev,final,mark,document,summary FROM minutes
            WHERE queue=$1 AND start>=$2 AND start<$3 ORDER BY start LIMIT $4
            """,
            [
                .integer(queue), .time(range.lowerBound), .time(range.upperBound),
                .integer(Int64(limit)),
            ]
        ) { row in
            minutes.append(
                StoredMinute(
                    start: row.time(0), end: row.time(1), rev: Int(row.integer(2)),
                    isFinal: row.integer(3) != 0, mark: row.bytes(4), document: row.bytes(5),
                    summary: row.bytes(6)))
        }
        return minutes
    }

    package func periods(
        _ step: HistoryStep, of queue: String, at site: String, in range: Range<UnixTime>,
        limit: Int
    ) throws(Connection.Failure) -> [StoredPeriod] {
        var periods: [StoredPeriod] = []
        guard let queue = try known(queue, site) else { return [] }
        try connection.query(
            """
            SELECT start,"end",summary FROM \(step.table.name)
            WHERE queue=$1 AND start>=$2 AND start<$3 ORDER BY start LIMIT $4
            """,
            [
                .integer(queue), .time(range.lowerBound), .time(range.upperBound),
                .integer(Int64(limit)),
            ]
        ) { row in
            periods.append(
                StoredPeriod(start: row.time(0), end: row.time(1), summary: row.bytes(2)))
        }
        return periods
    }

    /// The published JSON of the visits that ended in `range`, in the order of their ends.
    package func visits(
        of queue: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(Connection.Failure) -> [[UInt8]] {
        var visits: [[UInt8]] = []
        guard let queue = try known(queue, site) else { return [] }
        try connection.query(
            """
            SELECT document FROM visits WHERE queue=$1 AND "left">=$2 AND "left"<$3
            ORDER BY "left",entered,tag LIMIT $4
            """,
            [
                .integer(queue), .time(range.lowerBound), .time(range.upperBound),
                .integer(Int64(limit)),
            ]
        ) { visits.append($0.bytes(0)) }
        return visits
    }

    /// The events of a region, or of all regions of a site, that were decided in `range`, in their order.
    package func regionEvents(
        of region: String?, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(Connection.Failure) -> [StoreBatch.RegionEvent] {
        var events: [StoreBatch.RegionEvent] = []
        let number = try connection.number("SELECT id FROM sites WHERE name=$1", [.text(site)])
        guard let number else { return [] }
        let values: [SQLValue] = [
            .integer(number), .time(range.lowerBound), .time(range.upperBound),
            .integer(Int64(limit)),
        ]
        try connection.query(
            """
            SELECT region,decided,tag,event,document FROM region_events
            WHERE site=$1 AND decided>=$2 AND decided<$3 \(region == nil ? "" : "AND region=$4")
            ORDER BY decided DESC,region DESC,event DESC LIMIT \(region == nil ? "$4" : "$5")
            """,
            region.map { values.prefix(3) + [.text($0), values[3]] } ?? values
        ) { row in
            events.append(
                .init(
                    site: site, region: row.text(0), decided: row.time(1),
                    tag: Tag(rawValue: UInt64(bitPattern: row.integer(2))), id: row.text(3),
                    document: row.bytes(4)))
        }
        return events.reversed()
    }

    /// The events of the network of beacons that were decided in `range`, in their order: the newest ones.
    package func beaconEvents(
        at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(Connection.Failure) -> [StoreBatch.BeaconEvent] {
        var events: [StoreBatch.BeaconEvent] = []
        let number = try connection.number("SELECT id FROM sites WHERE name=$1", [.text(site)])
        guard let number else { return [] }
        try connection.query(
            """
            SELECT decided,beacon,event,document FROM beacon_events
            WHERE site=$1 AND decided>=$2 AND decided<$3
            ORDER BY decided DESC,beacon DESC,event DESC LIMIT $4
            """,
            [
                .integer(number), .time(range.lowerBound), .time(range.upperBound),
                .integer(Int64(limit)),
            ]
        ) { row in
            events.append(
                .init(
                    site: site, decided: row.time(0), beacon: row.text(1), id: row.text(2),
                    document: row.bytes(3)))
        }
        return events.reversed()
    }

    package func beaconHours(
        at site: String, in range: Range<UnixTime>
    ) throws(Connection.Failure) -> [StoreBatch.BeaconHour] {
        var hours: [StoreBatch.BeaconHour] = []
        let number = try connection.number("SELECT id FROM sites WHERE name=$1", [.text(site)])
        guard let number else { return [] }
        try connection.query(
            "SELECT start,body FROM beacon_hours WHERE site=$1 AND start>=$2 AND start<$3 ORDER BY start",
            [.integer(number), .time(range.lowerBound), .time(range.upperBound)]
        ) { hours.append(.init(site: site, start: $0.time(0), body: $0.bytes(1))) }
        return hours
    }

    package func placeLabels(
        at site: String, newest limit: Int
    ) throws(Connection.Failure) -> [StoreBatch.PlaceLabel] {
        var labels: [StoreBatch.PlaceLabel] = []
        let number = try connection.number("SELECT id FROM sites WHERE name=$1", [.text(site)])
        guard let number else { return [] }
        try connection.query(
            """
            SELECT beacon,start,document FROM place_labels WHERE site=$1 AND length(document)>2
            ORDER BY start DESC,beacon DESC LIMIT $2
            """,
            [.integer(number), .integer(Int64(limit))]
        ) { row in
            labels.append(
                .init(
                    site: site, beacon: row.text(0), start: row.time(1), document: row.bytes(2)))
        }
        return labels.reversed()
    }

    package func regionChanges(
        at site: String, newest limit: Int
    ) throws(Connection.Failure) -> [StoreBatch.RegionChange] {
        var changes: [StoreBatch.RegionChange] = []
        guard let number = try knownSite(site) else { return [] }
        try connection.query(
            """
            SELECT at,region,client,document FROM region_changes WHERE site=$1
            ORDER BY at DESC,region DESC LIMIT $2
            """,
            [.integer(number), .integer(Int64(limit))]
        ) { row in
            changes.append(
                .init(
                    site: site, at: row.time(0), region: row.text(1), client: row.text(2),
                    document: row.bytes(3)))
        }
        return changes.reversed()
    }

    package func visitCount(
        of queue: String, at site: String, day: UnixTime
    ) throws(Connection.Failure) -> StoreBatch.VisitCount? {
        guard let id = try known(queue, site) else { return nil }
        var found: StoreBatch.VisitCount?
        try connection.query(
            "SELECT count,method FROM visit_counts WHERE queue=$1 AND day=$2",
            [.integer(id), .time(day)]
        ) { row in
            found = StoreBatch.VisitCount(
                site: site, queue: queue, day: day, count: Int(row.integer(0)),
                method: row.text(1))
        }
        return found
    }

    /// The levels at the beginning of the last day that begins at `time` or before it.
    package func levels(
        of site: String, at time: UnixTime
    ) throws(Connection.Failure) -> (day: UnixTime, levels: [UInt8])? {
        var found: (day: UnixTime, levels: [UInt8])?
        try connection.query(
            """
            SELECT start,levels FROM site_days WHERE site=(SELECT id FROM sites WHERE name=$1)
            AND start<=$2 ORDER BY start DESC LIMIT 1
            """,
            [.text(site), .time(time)]
        ) { found = ($0.time(0), $0.bytes(1)) }
        return found
    }

    package func counts() throws(Connection.Failure) -> [StoreBatch.Counter: Int64] {
        var counts: [StoreBatch.Counter: Int64] = [:]
        try connection.query(StoreTable.counters.contents, []) { row in
            var values = StoredValues(row)
            let stored = StoredCount.read(&values)
            counts[stored.counter] = stored.count
        }
        return counts
    }

    /// The number of a site that has rows.
    package func knownSite(_ name: String) throws(Connection.Failure) -> Int64? {
        try connection.number("SELECT id FROM sites WHERE name=$1", [.text(name)])
    }

    /// The number of a queue that has rows.
    package func known(_ queue: String, _ site: String) throws(Connection.Failure) -> Int64? {
        try connection.number(
            """
            SELECT queues.id FROM queues JOIN sites ON sites.id=queues.site
            WHERE sites.name=$1 AND queues.name=$2
            """,
            [.text(site), .text(queue)])
    }
}

extension StoreRows {
    /// The tills' own counts of a queue with times in `range`, in the order of time.
    package func receipts(
        of queue: String, at site: String, in range: Range<UnixTime>
    ) throws(Connection.Failure) -> [Receipt] {
        guard let queue = try known(queue, site) else { return [] }
        var receipts: [Receipt] = []
        try connection.query(
            "SELECT till,count,at FROM receipts WHERE queue=$1 AND at>=$2 AND at<$3 ORDER BY at,till",
            [.integer(queue), .time(range.lowerBound), .time(range.upperBound)]
        ) { row in
            receipts.append(
                Receipt(
                    till: row.text(0), count: row.integer(1),
                    at: UnixSecond(containing: row.time(2))))
        }
        return receipts
    }
}
