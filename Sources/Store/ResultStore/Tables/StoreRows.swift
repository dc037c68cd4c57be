import Primitives
import SQL

/// The rows of the declared tables, over one connection: what engines do in the same way.
package protocol StoreRows: AnyObject {
    associatedtype Connection: SQLConnection

    var connection: Connection { get }
    var names: StoreNames<Connection> { get }
    /// Merges the sums of minutes into an hour's, and of hours into a day's.
    var merge: SummaryMerge { get }

    /// Inserts rows with the values of the table's columns, in their order.
    func insert(_ rows: [[SQLValue]], into table: StoreTable) throws(Connection.Failure)

    /// The same.
    ///
    /// - Returns: whether each row is new or changes one.
    func change(_ rows: [[SQLValue]], in table: StoreTable) throws(Connection.Failure) -> [Bool]

    /// The sums that a table has in each span, in the order of time.
    func summaries(
        of spans: [StoredSpan], in table: StoreTable
    ) throws(Connection.Failure) -> [[[UInt8]]]
}

/// The time of an hour or of a day of a queue.
package struct StoredSpan: Hashable, Sendable {
    package let queue: Int64
    package let range: Range<UnixTime>
}

extension StoreRows {
    /// Writes a batch, inside a transaction.
    package func write(_ batch: StoreBatch) throws(Connection.Failure) {
        try insert(batch.facts)
        try insert(batch.receipts)
        try write(batch.minutes)
        try insert(batch.visits)
        try insert(batch.levels)
        try insert(batch.visitCounts)
        try insert(batch.regionEvents)
        try insert(batch.beaconEvents)
        try insert(batch.beaconHours)
        try insert(batch.placeLabels)
        try insert(batch.regionChanges)
        try insert(batch.counts.map { StoredCount(counter: $0.key, count: $0.value) })
    }

    private func insert<Row: StoredRow>(_ rows: [Row]) throws(Connection.Failure) {
        guard !rows.isEmpty else { return }
        try insert(try values(of: rows), into: Row.table)
    }

    private func values<Row: StoredRow>(
        of rows: [Row]
    ) throws(Connection.Failure) -> [[SQLValue]] {
        var values: [[SQLValue]] = []
        values.reserveCapacity(rows.count)
        for row in rows { values.append(try row.values(in: names)) }
        return values
    }

    /// Stores minutes, and computes the hours and days again to which they belong.
    ///
    /// An hour is computed from all its minutes each time. A restatement therefore counts once.
    private func write(_ minutes: [StoreBatch.Minute]) throws(Connection.Failure) {
        guard !minutes.isEmpty else { return }
        let hour = Duration.seconds(3600)
        var hours: Set<StoredSpan> = []
        var days: Set<StoredSpan> = []
        let changed = try change(try values(of: minutes), in: .minutes)
        for (minute, isChanged) in zip(minutes, changed) {
            let day = minute.day
            guard isChanged, day.contains(minute.start) else { continue }
            let queue = try names.queue(minute.queue, minute.site)
            days.insert(StoredSpan(queue: queue, range: day))
            // Hours count from the day's start, so that they are hours of the clock on the wall.
            let start = minute.start.floored(to: hour, from: day.lowerBound)
            let end = min(start + hour, day.upperBound)
            hours.insert(StoredSpan(queue: queue, range: start..<end))
        }
        try summarise(Array(hours), from: .minutes, to: .hours)
        try summarise(Array(days), from: .hours, to: .days)
    }

    private func summarise(
        _ spans: [StoredSpan], from parts: StoreTable, to whole: StoreTable
    ) throws(Connection.Failure) {
        guard !spans.isEmpty else { return }
        let found = try summaries(of: spans, in: parts)
        var rows: [[SQLValue]] = []
        for (span, summaries) in zip(spans, found) {
            rows.append([
                .integer(span.queue), .time(span.range.lowerBound), .time(span.range.upperBound),
                .bytes(merge(summaries)),
            ])
        }
        try insert(rows, into: whole)
    }
}
