import JSON
import Posix
import Primitives
import ResultStore
import StoreSQLite
import TestSupport
import Testing

@testable import Queueing
@testable import Server

@Suite("the typical waits of a weekday")
struct TypicalDayTests {
    /// A minute of the queue in which one person waited so long.
    private func minute(_ start: UnixTime, waited seconds: Int64) throws -> StoreBatch.Minute {
        let waits = WaitHistogram([.seconds(seconds)])
        let text = #"""
            {"v":1,"lengthMs":60000,"knownMs":60000,"okMs":60000,"personSeconds":120,"seconds":60,"longest":2,
             "joined":1,"served":1,"abandoned":0,"waits":\#(waits.stored.text),
             "scores":[0,0,0,0,0],"overTargetMs":0}
            """#
        let summary = try PeriodSummary(stored: JSON(parsing: Array(text.utf8), maxBytes: 1000))
        return StoreBatch.Minute(
            site: "s", queue: "q", start: start, end: start + .seconds(60),
            day: LocalDay(containing: start).span, rev: 1, isFinal: true, document: [], mark: [],
            summary: summary.stored.bytes)
    }

    private func typical(
        _ minutes: [StoreBatch.Minute], weekday: Int, before today: LocalDay
    ) throws -> JSON {
        let server = try QueueServer()
        let store = server.store()
        defer { store.close() }
        var batch = StoreBatch()
        batch.minutes = minutes
        #expect(store.commit(batch, at: .now) == .durable)
        var day = TypicalDay(
            .init(site: "s", queue: "q", weekday: weekday, today: today.name), before: today)
        while try day.addHour(store) {}
        return day.json
    }

    /// A wait by the middle of its bin, beside a longest one.
    private func rank(_ seconds: Int64, longest: Int64) -> JSON {
        .milliseconds(WaitHistogram([.seconds(seconds), .seconds(longest)]).quantile(0.5))
    }

    private let noon = UnixTime(milliseconds: QueueServer.noon)

    @Test("quantiles of the last eight days of the weekday, and of no other day")
    func quantiles() throws {
        let today = LocalDay(containing: noon)
        var minutes: [StoreBatch.Minute] = []
        var day = today
        for age in 0...63 as ClosedRange<Int64> {
            // The same time on the clock: among these days is one of 25 hours.
            let start = day.span.lowerBound + .seconds(8 * 3600)
            let isSame = day.weekday == today.weekday
            day = LocalDay(containing: day.span.lowerBound - .seconds(1))
            // 1 to 9 weeks ago: 100 s to 900 s. Today and the ninth week do not count.
            let seconds = isSame && (7...56).contains(age) ? age / 7 * 100 : 5000
            minutes.append(try minute(start, waited: seconds))
        }
        let json = try typical(minutes, weekday: today.weekday, before: today)
        #expect(json["weekday"] == .integer(Int64(today.weekday)))
        guard case .array(let slots)? = json["slots"], slots.count == 1 else {
            throw TestFailure("not one slot: \(json)")
        }
        let expected: JSON = [
            "startMinute": 720,
            // The nearest ranks of 100, 200, … 800: the fourth and the eighth.
            "samples": 8, "medianMs": rank(400, longest: 800), "p90Ms": rank(800, longest: 800),
            "length": .number(2),
        ]
        #expect(slots[0] == expected, "\(slots[0])")
    }

    @Test("a slot of 15 minutes has all waits of its minutes, and a day counts once")
    func slots() throws {
        let today = LocalDay(containing: noon)
        let week = noon - .seconds(7 * 86_400)
        let minutes = try [(0, 60), (14, 180), (15, 600)].map { offset, seconds in
            try minute(week + .seconds(60 * Int64(offset)), waited: Int64(seconds))
        }
        let json = try typical(minutes, weekday: today.weekday, before: today)
        guard case .array(let slots)? = json["slots"] else { throw TestFailure("\(json)") }
        #expect(slots.map { $0["samples"] } == [1, 1])
        #expect(slots.map { $0["medianMs"] } == [rank(60, longest: 180), rank(600, longest: 600)])
    }

    @Test("a weekday without minutes has no slots")
    func empty() throws {
        let json = try typical([], weekday: 3, before: LocalDay(containing: noon))
        #expect(json == ["weekday": 3, "slots": []])
    }
}
