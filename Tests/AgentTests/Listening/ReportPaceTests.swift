import Primitives
import Testing

@testable import Agent

@Suite struct ReportPaceTests {
    /// Simulates a loop that naps while the pace is fast: its wake-ups in ten seconds, and the most reports of one read.
    private func run(reportsPerSecond rate: Int64) -> (wakeUps: Int, most: Int64) {
        var pace = ReportPace()
        var now = Instant(microseconds: 0)
        var (read, count, most): (Int64, Int, Int64) = (0, 0, 0)
        while now.microseconds < 10_000_000 {
            count += 1
            if let gathering = pace.gathering(at: now) {
                now = gathering
            } else {
                now = Instant(microseconds: (read + 1) * 1_000_000 / rate)
            }
            let before = read
            while (read + 1) * 1_000_000 / rate <= now.microseconds {
                read += 1
                pace.record(at: now)
            }
            most = max(most, read - before)
        }
        return (count, most)
    }

    @Test(
        "the loop wakes at most once a report, and at most 20 times a second with a fast radio",
        arguments: [(1, 10), (15, 150), (30, 200), (40, 200), (100, 200), (1000, 200), (2000, 200)])
    func wakeUps(rate: Int64, most: Int) {
        #expect((1...most + 10).contains(run(reportsPerSecond: rate).wakeUps))
    }

    /// The default send buffer of unix(7), 212,992 bytes, holds 278 writes of a report.
    @Test(
        "a flood does not fill the kernel's buffer between two reads",
        arguments: [2000, 5000, 20_000, 100_000])
    func floods(rate: Int64) {
        #expect(run(reportsPerSecond: rate).most <= 278)
    }
}
