import Primitives
import Testing

@testable import Agent

@Suite struct ReportPaceTests {
    /// Simulates a loop that naps while the pace is fast, and returns its wake-ups in ten seconds.
    private func wakeUps(reportsPerSecond rate: Int64, isDated: Bool) -> Int {
        var pace = ReportPace()
        var now = Instant(microseconds: 0)
        var (read, count): (Int64, Int) = (0, 0)
        while now.microseconds < 10_000_000 {
            count += 1
            if let gathering = pace.gathering(at: now, isDated: isDated) {
                now = gathering
            } else {
                now = Instant(microseconds: (read + 1) * 1_000_000 / rate)
            }
            while (read + 1) * 1_000_000 / rate <= now.microseconds {
                read += 1
                pace.record(at: now)
            }
        }
        return count
    }

    @Test(
        "the loop wakes at most once a report, and at most 50 times a second with a fast radio",
        arguments: [(1, 10), (40, 400), (100, 500), (1000, 500), (2000, 500)])
    func wakeUps(rate: Int64, most: Int) {
        #expect((1...most + 10).contains(wakeUps(reportsPerSecond: rate, isDated: false)))
    }

    @Test(
        "the loop wakes at most 20 times a second if the kernel dates the reports",
        arguments: [(1, 10), (15, 150), (40, 200), (100, 200), (1000, 200), (2000, 200)])
    func datedWakeUps(rate: Int64, most: Int) {
        #expect((1...most + 10).contains(wakeUps(reportsPerSecond: rate, isDated: true)))
    }
}
