import Primitives
import ResultStore
import SQLite

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
