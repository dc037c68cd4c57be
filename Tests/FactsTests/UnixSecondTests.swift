import Primitives
import Testing

@testable import Facts

@Suite("the grid of seconds")
struct UnixSecondTests {
    @Test("a time lies in one second, and the next second begins at it or after it")
    func rounding() {
        for (time, containing, notBefore) in [
            (0, 0, 0), (999, 0, 1), (1000, 1, 1), (1001, 1, 2),
            (1_780_002_000_999, 1_780_002_000, 1_780_002_001),
        ] as [(UnixTime, UnixSecond, UnixSecond)] {
            #expect(UnixSecond(containing: time) == containing)
            #expect(UnixSecond(notBefore: time) == notBefore)
            #expect(containing.span.contains(time))
        }
    }

    @Test("differences are times, and a range has its seconds")
    func arithmetic() {
        let stay: Range<UnixSecond> = 10..<70
        #expect(stay.duration == .seconds(60))
        #expect(stay.count == 60)
        #expect(stay.span == 10_000..<70_000)
        #expect(stay.lowerBound + .seconds(60) == stay.upperBound)
        #expect(stay.upperBound - .seconds(60) == stay.lowerBound)
    }

    @Test("minutes begin at multiples of sixty seconds")
    func minutes() {
        let second: UnixSecond = 1_780_002_059
        #expect(second.floored(to: .seconds(60)) == 1_780_002_000)
        #expect(!second.isMultiple(of: .seconds(60)))
        #expect(second.next.isMultiple(of: .seconds(60)))
    }

    @Test("the end of time is behind all seconds, and overflows nothing")
    func never() {
        #expect(UnixSecond.never > UnixSecond(containing: .endOf9999))
        #expect(UnixSecond.never.span.lowerBound <= .max)
    }
}
