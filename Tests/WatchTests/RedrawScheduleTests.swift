import Testing

@testable import Watch

@Suite("When the table is drawn")
struct RedrawScheduleTests {
    private static let start: Int64 = 50_000_000

    /// The schedule after a redraw at the start.
    private static var drawn: RedrawSchedule {
        var schedule = RedrawSchedule()
        schedule.drawn(at: start)
        return schedule
    }

    @Test("At once at first, and where a redraw is demanded")
    func first() {
        var schedule = RedrawSchedule()
        #expect(schedule.next == 0)
        schedule.drawn(at: Self.start)
        #expect(schedule.next == Self.start + 1_000_000)
        schedule.changed(at: Self.start + 1)
        schedule.demand()
        #expect(schedule.next == 0)
    }

    @Test("Soon after the last of several changes, also where one was due in between")
    func together() {
        var schedule = Self.drawn
        schedule.changed(at: Self.start + 990_000)
        schedule.changed(at: Self.start + 1_100_000)
        #expect(schedule.next == Self.start + 1_300_000)
    }

    @Test("Changes without a pause do not put it off for more than a second")
    func flood() {
        var schedule = Self.drawn
        for step in 0..<100 { schedule.changed(at: Self.start + Int64(step) * 50_000) }
        #expect(schedule.next == Self.start + 1_000_000)
    }
}
