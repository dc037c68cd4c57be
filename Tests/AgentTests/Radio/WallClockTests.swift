import Beacons
import Testing

@testable import Agent

@Suite struct WallClockTests {
    @Test("a difference of a millisecond or more is a step of the wall clock")
    func steps() {
        var clock = WallClock(offset: .microseconds(1_000_000), isSynchronised: false)
        #expect(
            clock.update(WallClock(offset: .microseconds(1_000_999), isSynchronised: true)) == false
        )
        #expect(clock.isSynchronised && clock.offset == .microseconds(1_000_000))
        #expect(
            clock.update(WallClock(offset: .microseconds(1_001_000), isSynchronised: true)) as Bool)
        #expect(clock.update(WallClock(offset: .microseconds(-5), isSynchronised: false)) as Bool)
        #expect(clock.steps == 2 && clock.offset == .microseconds(-5) && !clock.isSynchronised)
    }
}
