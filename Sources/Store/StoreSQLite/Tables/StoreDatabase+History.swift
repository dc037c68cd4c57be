import Facts
import Primitives
import ResultStore
import SQLite

extension HistoryStep {
    var table: StoreTable {
        switch self {
        case .hour: .hours
        case .day: .days
        }
    }
}

extension StoreDatabase {
    func minutes(
        of queue: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(SQLiteError) -> [StoredMinute] {
        var minutes: [StoredMinute] = []
        guard let queue = try known(queue, site) else { return [] }
        try connection.query(
            """
            SELECT start,end,rev,final,mark,document,summary FROM minutes
            WHERE queue=? AND start>=? AND start<? ORDER BY start LIMIT ?
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

    func periods(
        _ step: HistoryStep, of queue: String, at site: String, in range: Range<UnixTime>,
        limit: Int
    ) throws(SQLiteError) -> [StoredPeriod] {
        var periods: [StoredPeriod] = []
        guard let queue = try known(queue, site) else { return [] }
        try connection.query(
            """
            SELECT start,end,summary FROM \(step.table.name)
            WHERE queue=? AND start>=? AND start<? ORDER BY start LIMIT ?
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
    func visits(
        of queue: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(SQLiteError) -> [[UInt8]] {
        var visits: [[UInt8]] = []
        guard let queue = try known(queue, site) else { return [] }
        try connection.query(
            """
            SELECT document FROM visits WHERE queue=? AND left>=? AND left<?
            ORDER BY left,entered,tag LIMIT ?
            """,
            [
                .integer(queue), .time(range.lowerBound), .time(range.upperBound),
                .integer(Int64(limit)),
            ]
        ) { visits.append($0.bytes(0)) }
        return visits
    }

    /// The events of a region, or of all regions of a site, that were decided in `range`, in their order.
    func regionEvents(
        of region: String?, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(SQLiteError) -> [StoreBatch.RegionEvent] {
        var events: [StoreBatch.RegionEvent] = []
        let number = try connection.number("SELECT id FROM sites WHERE name=?", [.text(site)])
        guard let number else { return [] }
        let one = region == nil ? "" : "region=? AND "
        try connection.query(
            """
            SELECT region,decided,tag,event,document FROM region_events
            WHERE site=? AND \(one)decided>=? AND decided<?
            ORDER BY decided DESC,region DESC,event DESC LIMIT ?
            """,
            [.integer(number)] + (region.map { [.text($0)] } ?? []) + [
                .time(range.lowerBound), .time(range.upperBound), .integer(Int64(limit)),
            ]
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
    func beaconEvents(
        at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(SQLiteError) -> [StoreBatch.BeaconEvent] {
        var events: [StoreBatch.BeaconEvent] = []
        let number = try connection.number("SELECT id FROM sites WHERE name=?", [.text(site)])
        guard let number else { return [] }
        try connection.query(
            """
            SELECT decided,beacon,event,document FROM beacon_events
            WHERE site=? AND decided>=? AND decided<?
            ORDER BY decided DESC,beacon DESC,event DESC LIMIT ?
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

    func beaconHours(
        at site: String, in range: Range<UnixTime>
    ) throws(SQLiteError) -> [StoreBatch.BeaconHour] {
        var hours: [StoreBatch.BeaconHour] = []
        let number = try connection.number("SELECT id FROM sites WHERE name=?", [.text(site)])
        guard let number else { return [] }
        try connection.query(
            "SELECT start,body FROM beacon_hours WHERE site=? AND start>=? AND start<? ORDER BY start",
            [.integer(number), .time(range.lowerBound), .time(range.upperBound)]
        ) { hours.append(.init(site: site, start: $0.time(0), body: $0.bytes(1))) }
        return hours
    }

    func placeLabels(
        at site: String, newest limit: Int
    ) throws(SQLiteError) -> [StoreBatch.PlaceLabel] {
        var labels: [StoreBatch.PlaceLabel] = []
        let number = try connection.number("SELECT id FROM sites WHERE name=?", [.text(site)])
        guard let number else { return [] }
        try connection.query(
            """
            SELECT beacon,start,document FROM place_labels WHERE site=? AND length(document)>2
            ORDER BY start DESC,beacon DESC LIMIT ?
            """,
            [.integer(number), .integer(Int64(limit))]
        ) { row in
            labels.append(
                .init(
                    site: site, beacon: row.text(0), start: row.time(1), document: row.bytes(2)))
        }
        return labels.reversed()
    }

    func regionChanges(
        at site: String, newest limit: Int
    ) throws(SQLiteError) -> [StoreBatch.RegionChange] {
        var changes: [StoreBatch.RegionChange] = []
        let number = try connection.number("SELECT id FROM sites WHERE name=?", [.text(site)])
        guard let number else { return [] }
        try connection.query(
            """
            SELECT at,region,client,document FROM region_changes WHERE site=?
            ORDER BY at DESC,region DESC LIMIT ?
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

    func visitCount(
        of queue: String, at site: String, day: UnixTime
    ) throws(SQLiteError) -> StoreBatch.VisitCount? {
        guard let id = try known(queue, site) else { return nil }
        var found: StoreBatch.VisitCount?
        try connection.query(
            "SELECT count,method FROM visit_counts WHERE queue=? AND day=?",
            [.integer(id), .time(day)]
        ) { row in
            found = StoreBatch.VisitCount(
                site: site, queue: queue, day: day, count: Int(row.integer(0)),
                method: row.text(1))
        }
        return found
    }

    /// The levels at the beginning of the last day that begins at `time` or before it.
    func levels(
        of site: String, at time: UnixTime
    ) throws(SQLiteError) -> (day: UnixTime, levels: [UInt8])? {
        var found: (day: UnixTime, levels: [UInt8])?
        try connection.query(
            """
            SELECT start,levels FROM site_days WHERE site=(SELECT id FROM sites WHERE name=?)
            AND start<=? ORDER BY start DESC LIMIT 1
            """,
            [.text(site), .time(time)]
        ) { found = ($0.time(0), $0.bytes(1)) }
        return found
    }

    func counts() throws(SQLiteError) -> [StoreBatch.Counter: Int64] {
        let counts: [StoredCount] = try rows()
        return Dictionary(counts.map { ($0.counter, $0.count) }) { first, _ in first }
    }

    /// The number of a site that has rows.
    func knownSite(_ name: String) throws(SQLiteError) -> Int64? {
        try connection.number("SELECT id FROM sites WHERE name=?", [.text(name)])
    }

    /// The number of a queue that has rows.
    func known(_ queue: String, _ site: String) throws(SQLiteError) -> Int64? {
        try connection.number(
            """
            SELECT queues.id FROM queues JOIN sites ON sites.id=queues.site
            WHERE sites.name=? AND queues.name=?
            """,
            [.text(site), .text(queue)])
    }
}

extension StoreDatabase {
    private static let hour = Duration.seconds(3600)

    private struct Span: Hashable {
        let queue: Int64
        let range: Range<UnixTime>
    }

    /// Stores minutes, and computes the hours and days again to which they belong.
    ///
    /// An hour is computed from all its minutes each time. A restatement therefore counts once.
    func write(_ minutes: [StoreBatch.Minute]) throws(SQLiteError) {
        var hours: Set<Span> = []
        var days: Set<Span> = []
        for minute in minutes {
            let queue = try queue(minute.queue, minute.site)
            guard try insert(minute) else { continue }
            let day = minute.day
            guard day.contains(minute.start) else { continue }
            days.insert(Span(queue: queue, range: day))
            // Hours count from the day's start, so that they are hours of the clock on the wall.
            let start = minute.start.floored(to: Self.hour, from: day.lowerBound)
            let end = min(start + Self.hour, day.upperBound)
            hours.insert(Span(queue: queue, range: start..<end))
        }
        for hour in hours { try summarise(hour, from: .minutes, to: .hours) }
        for day in days { try summarise(day, from: .hours, to: .days) }
    }

    private func summarise(
        _ span: Span, from parts: StoreTable, to whole: StoreTable
    ) throws(SQLiteError) {
        var summaries: [[UInt8]] = []
        try connection.query(
            "SELECT summary FROM \(parts.name) WHERE queue=? AND start>=? AND start<? ORDER BY start",
            [
                .integer(span.queue), .time(span.range.lowerBound),
                .time(span.range.upperBound),
            ]
        ) { summaries.append($0.bytes(0)) }
        try connection.run(
            whole.insertion,
            [
                .integer(span.queue), .time(span.range.lowerBound),
                .time(span.range.upperBound), .bytes(merge(summaries)),
            ])
    }
}
