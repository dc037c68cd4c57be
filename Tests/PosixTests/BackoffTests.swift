import Primitives
import Testing

@testable import Posix

@Suite("Backoff")
struct BackoffTests {
    @Test("the ceiling doubles up to the cap, and returns to the base after a success")
    func ceilings() {
        var backoff = Backoff(base: .microseconds(100), cap: .microseconds(1000))
        let delays = (0..<6).map { _ in backoff.delay(random: .max).microseconds }
        #expect(delays == [100, 200, 400, 800, 1000, 1000])
        #expect(backoff.attempts == 6)
        backoff.reset()
        #expect(backoff.delay(random: .max) == .microseconds(100))
    }

    @Test("a delay is any part of the ceiling, from zero to all of it")
    func jitter() {
        for (random, delay) in [(UInt64.min, Int64(0)), (1 << 63, 50), (.max, 100)] {
            var backoff = Backoff(base: .microseconds(100), cap: .microseconds(1000))
            #expect(backoff.delay(random: random).microseconds == delay)
        }
    }

    @Test("invalid settings and any number of attempts cause no trap")
    func extremes() {
        let most = Duration.seconds(Int64.max)
        let extremes: [(Duration, Duration)] = [
            (most, most), (.zero, .zero), (.seconds(-5), .seconds(-9)), (most, .microseconds(1)),
            (.microseconds(1), most),
        ]
        for (base, cap) in extremes {
            var backoff = Backoff(base: base, cap: cap)
            for _ in 0..<200 { #expect(backoff.delay(random: .max) >= .zero) }
        }
    }
}
