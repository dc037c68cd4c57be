import Primitives
import Testing

@Suite("points in time and durations")
struct InstantTests {
    @Test("an instant and a duration add up")
    func arithmetic() {
        let start = Instant(microseconds: 1_000_000)
        #expect(start + .milliseconds(250) == Instant(microseconds: 1_250_000))
        #expect(start - .seconds(3) == Instant(microseconds: -2_000_000))
        #expect(start + .seconds(2) - start == .seconds(2))
        #expect(start - (start + .seconds(2)) == .seconds(-2))
    }

    @Test("sums beyond the range stop at its end")
    func saturation() {
        let last = Instant(microseconds: .max)
        let first = Instant(microseconds: .min)
        #expect(last + .microseconds(1) == last)
        #expect(first - .microseconds(1) == first)
        #expect(Instant(microseconds: 0) + .seconds(Int64.max) == last)
        #expect(last - first > .seconds(1))
    }

    @Test(
        "whole microseconds are rounded towards zero",
        arguments: [
            (Duration.nanoseconds(1999), Int64(1)), (.nanoseconds(-1999), -1),
            (.seconds(-2), -2_000_000),
            (.seconds(Int64.max), Int64.max), (.seconds(Int64.min), Int64.min),
        ])
    func microseconds(of duration: Duration, expected: Int64) {
        #expect(duration.microseconds == expected)
    }
}
