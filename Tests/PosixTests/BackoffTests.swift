import Testing

@testable import Posix

@Suite("Backoff")
struct BackoffTests {
    @Test("the ceiling doubles up to the cap, and returns to the base after a success")
    func ceilings() {
        var backoff = Backoff(base: 100, cap: 1000)
        let waits = (0..<6).map { _ in backoff.next(random: .max) }
        #expect(waits == [100, 200, 400, 800, 1000, 1000])
        #expect(backoff.attempts == 6)
        backoff.reset()
        #expect(backoff.next(random: .max) == 100)
    }

    @Test("a delay is any part of the ceiling, from zero to all of it")
    func jitter() {
        for (random, wait) in [(UInt64.min, Int64(0)), (1 << 63, 50), (.max, 100)] {
            var backoff = Backoff(base: 100, cap: 1000)
            #expect(backoff.next(random: random) == wait)
        }
    }

    @Test("invalid settings and any number of attempts cause no trap")
    func extremes() {
        for (base, cap) in [(Int64.max, Int64.max), (0, 0), (-5, -9), (.max, 1), (1, .max)] {
            var backoff = Backoff(base: base, cap: cap)
            for _ in 0..<200 { #expect(backoff.next(random: .max) >= 0) }
        }
    }
}
