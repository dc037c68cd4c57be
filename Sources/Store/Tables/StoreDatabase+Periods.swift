import Primitives
import SQLite

/// Merges the mergeable sums of some periods into those of one.
package typealias SummaryMerge = @Sendable ([[UInt8]]) -> [UInt8]

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
            guard try write(minute, queue) else { continue }
            let day = minute.day
            guard day.contains(minute.start) else { continue }
            days.insert(Span(queue: queue, range: day))
            // Hours count from the day's start, so that they are hours of the clock on the wall.
            let start = minute.start.floored(to: Self.hour, from: day.lowerBound)
            let end = min(start + Self.hour, day.upperBound)
            hours.insert(Span(queue: queue, range: start..<end))
        }
        for hour in hours { try summarise(hour, from: "minutes", to: "hours") }
        for day in days { try summarise(day, from: "hours", to: "days") }
    }

    /// - Returns: whether the minute is new or changed.
    private func write(
        _ minute: StoreBatch.Minute, _ queue: Int64
    ) throws(SQLiteError) -> Bool {
        try connection.run(
            """
            INSERT INTO minutes(queue,start,end,rev,final,mark,document,summary)
            VALUES(?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET end=excluded.end,rev=excluded.rev,
            final=excluded.final,document=excluded.document,summary=excluded.summary
            WHERE excluded.rev>rev OR (excluded.rev=rev AND excluded.final>final)
            """,
            [
                .integer(queue), .time(minute.start), .time(minute.end),
                .integer(Int64(minute.rev)), .integer(minute.isFinal ? 1 : 0),
                .bytes(minute.mark), .bytes(minute.document), .bytes(minute.summary),
            ])
        return connection.changes > 0
    }

    private func summarise(
        _ span: Span, from parts: String, to whole: String
    ) throws(SQLiteError) {
        var summaries: [[UInt8]] = []
        try connection.query(
            "SELECT summary FROM \(parts) WHERE queue=? AND start>=? AND start<? ORDER BY start",
            [
                .integer(span.queue), .time(span.range.lowerBound),
                .time(span.range.upperBound),
            ]
        ) { summaries.append($0.bytes(0)) }
        try connection.run(
            """
            INSERT INTO \(whole)(queue,start,end,summary) VALUES(?,?,?,?)
            ON CONFLICT DO UPDATE SET end=excluded.end,summary=excluded.summary
            """,
            [
                .integer(span.queue), .time(span.range.lowerBound),
                .time(span.range.upperBound), .bytes(merge(summaries)),
            ])
    }
}
