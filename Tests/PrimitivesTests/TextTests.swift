import Primitives
import Testing

@Suite("text")
struct TextTests {
    @Test(
        "a time is written in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_780_000_000_125_999, "2026-05-28T20:26:40.125Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000Z"),
            (-2_203_891_200_000_000, "1900-03-01T00:00:00.000Z"),
            (.max, "294247-01-10T04:00:54.775Z"), (.min, "-290308-12-21T19:59:05.224Z"),
        ] as [(Int64, String)])
    func moments(microseconds: Int64, text: String) {
        #expect(UTCTime(Instant(microseconds: microseconds)).stamp == text)
    }

    @Test(
        "a duration is written in its two largest units",
        arguments: [
            (-5, "0.0 s"), (340_000, "0.3 s"), (9_949_999, "9.9 s"), (9_950_000, "10 s"),
            (59_499_999, "59 s"), (200_000_000, "3 min 20 s"), (7_500_000_000, "2 h 5 min"),
            (.max, "106751991 d 4 h"),
        ] as [(Int64, String)])
    func spans(microseconds: Int64, text: String) {
        #expect(Duration.microseconds(microseconds).text == text)
    }

    @Test(
        "thousands are separated by commas",
        arguments: [(0, "0"), (999, "999"), (15_041, "15,041"), (-1_234_567, "-1,234,567")])
    func grouped(number: Int, text: String) {
        #expect(number.grouped == text)
    }

    @Test(
        "a fraction has one digit",
        arguments: [
            (-64.25, "-64.3"), (-0.04, "0.0"), (9.96, "10.0"), (.infinity, "–"), (.nan, "–"),
        ])
    func tenths(number: Double, text: String) {
        #expect(number.tenths == text)
    }

    @Test("control characters and non-ASCII characters are replaced")
    func printable() {
        #expect("a\u{1b}[2Jb\u{9b}ü\n".printable() == "a?[2Jb???")
        #expect("abcdef".printable(limit: 3) == "abc…")
    }
}
