import Posix
import Primitives
import Testing

// The expectations are from `date -d` with TZ=Europe/Berlin, the zone of all tests (CTimeZone).
@Suite("local days")
struct LocalDayTests {
    @Test(
        "a day begins at 04:00 of the clock",
        arguments: [
            // 2026-11-22 03:59:59 and 04:00:00 (+0100)
            (1_795_316_399_000, "2026-11-21", 6), (1_795_316_400_000, "2026-11-22", 7),
            // 2026-06-01 00:30 (+0200)
            (1_780_266_600_000, "2026-05-31", 7),
        ] as [(UnixTime, String, Int)])
    func names(time: UnixTime, name: String, weekday: Int) {
        let day = LocalDay(containing: time)
        #expect(day.name == name)
        #expect(day.weekday == weekday)
        #expect(day.span.contains(time))
    }

    @Test(
        "the day before a clock change has 23 or 25 hours",
        arguments: [
            // 2026-03-28 12:00 (+0100), 2026-10-24 12:00 (+0200), 2026-11-22 12:00
            (1_774_695_600_000, 23), (1_792_836_000_000, 25), (1_795_345_200_000, 24),
        ] as [(UnixTime, Int)])
    func lengths(time: UnixTime, hours: Int) {
        let day = LocalDay(containing: time)
        #expect(day.span.upperBound - day.span.lowerBound == .seconds(hours * 3600))
        #expect(LocalDay(containing: day.span.upperBound).span.lowerBound == day.span.upperBound)
    }

    @Test("impossible times give some day", arguments: [.min, -1, 0, .max] as [UnixTime])
    func extremes(time: UnixTime) {
        #expect(!LocalDay(containing: time).span.isEmpty)
    }

    @Test("the clock's minute counts from midnight")
    func minutes() {
        #expect(LocalDay.clockMinute(of: 1_795_316_399_000) == 3 * 60 + 59)
    }
}
