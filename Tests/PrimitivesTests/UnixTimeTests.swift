import Primitives
import Testing

@Suite("times of the wall clock")
struct UnixTimeTests {
    @Test("sums and differences are exact to the millisecond")
    func arithmetic() {
        let time: UnixTime = 1_780_000_000_125
        #expect(time + .seconds(2) == 1_780_000_002_125)
        #expect(time - .milliseconds(126) == 1_779_999_999_999)
        #expect(time - 1_780_000_000_000 == .milliseconds(125))
        #expect(1_780_000_000_000 - time == .milliseconds(-125))
        #expect(UnixTime(second: -3) == -3000)
    }

    @Test("sums beyond the range are its ends, and differences keep their size")
    func saturation() {
        #expect(UnixTime.max + .milliseconds(1) == .max)
        #expect(UnixTime.min - .milliseconds(1) == .min)
        #expect(UnixTime(second: .max) == .max)
        #expect(UnixTime.max - UnixTime.min > .seconds(Int64.max / 1000))
        #expect(UnixTime.max.instant == Instant(microseconds: .max))
        #expect(UnixTime.min.instant == Instant(microseconds: .min))
    }

    @Test("an instant's microseconds are rounded down")
    func instants() {
        #expect(UnixTime(Instant(microseconds: 1999)) == 1)
        #expect(UnixTime(Instant(microseconds: -1)) == -1)
        #expect((5 as UnixTime).instant == Instant(microseconds: 5000))
    }

    /// The hours of a day that begins at half past.
    @Test(
        "a time is rounded down to a multiple of a step",
        arguments: [
            (1_800_000, 1_800_000), (5_399_999, 1_800_000), (5_400_000, 5_400_000),
        ] as [(UnixTime, UnixTime)])
    func floor(time: UnixTime, start: UnixTime) {
        #expect(time.floored(to: .seconds(3600), from: 1_800_000) == start)
    }
}
