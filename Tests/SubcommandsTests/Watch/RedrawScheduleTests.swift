import Primitives
import Testing

@testable import Subcommands

@Suite("redraw schedule")
struct RedrawScheduleTests {
    private static let start = Instant(microseconds: 50_000_000)

    /// The schedule after a redraw at the start.
    private static var drawn: RedrawSchedule {
        var schedule = RedrawSchedule()
        schedule.drawn(at: start)
        return schedule
    }

    @Test("the first redraw and a reset are due immediately")
    func first() {
        var schedule = RedrawSchedule()
        #expect(schedule.next == Instant(microseconds: 0))
        schedule.drawn(at: Self.start)
        #expect(schedule.next == Self.start + .microseconds(1_000_000))
        schedule.changed(at: Self.start + .microseconds(1))
        schedule.reset()
        #expect(schedule.next == Instant(microseconds: 0))
    }

    @Test("one redraw follows the last of several changes")
    func together() {
        var schedule = Self.drawn
        schedule.changed(at: Self.start + .microseconds(990_000))
        schedule.changed(at: Self.start + .microseconds(1_100_000))
        #expect(schedule.next == Self.start + .microseconds(1_300_000))
    }

    @Test("continuous changes delay a redraw by at most a second")
    func flood() {
        var schedule = Self.drawn
        for step in 0..<100 { schedule.changed(at: Self.start + .milliseconds(step * 50)) }
        #expect(schedule.next == Self.start + .microseconds(1_000_000))
    }
}
