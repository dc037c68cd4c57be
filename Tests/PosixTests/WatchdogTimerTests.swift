import Primitives
import Testing

@testable import Posix

@Suite struct WatchdogTimerTests {
    @Test("the first notification is due immediately, then two in each period")
    func notifications() {
        let begin = Instant(microseconds: 5_000_000)
        var watchdog = WatchdogTimer(period: .seconds(30), at: begin)
        var notifications: [Int64] = []
        for second in Int64(0)...45 {
            let now = begin.advanced(byMicroseconds: second * 1_000_000)
            if watchdog.isDue(at: now) { notifications.append(second) }
        }
        #expect(notifications == [0, 15, 30, 45])
        #expect(watchdog.deadline == begin.advanced(byMicroseconds: 60_000_000))
    }

    @Test("the shortest period causes no busy loop")
    func shortestPeriod() {
        let begin = Instant(microseconds: 5_000_000)
        var watchdog = WatchdogTimer(period: .microseconds(1), at: begin)
        let notifications = [watchdog.isDue(at: begin), watchdog.isDue(at: begin)]
        #expect(notifications == [true, false])
    }
}
