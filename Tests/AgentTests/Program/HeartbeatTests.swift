import Primitives
import Testing

@testable import Agent

@Suite struct HeartbeatTests {
    @Test("A watchdog hears at once, and then twice in its time")
    func beats() {
        let begin = Instant(microseconds: 5_000_000)
        var heartbeat = Heartbeat(patience: 30_000_000, at: begin)
        var beats: [Int64] = []
        for second in Int64(0)...45 {
            let now = begin.advanced(byMicroseconds: second * 1_000_000)
            if heartbeat.isDue(at: now) { beats.append(second) }
        }
        #expect(beats == [0, 15, 30, 45])
        #expect(heartbeat.deadline == begin.advanced(byMicroseconds: 60_000_000))
    }

    @Test("One that does not wait at all is no busy loop")
    func impatient() {
        let begin = Instant(microseconds: 5_000_000)
        var heartbeat = Heartbeat(patience: 1, at: begin)
        let beats = [heartbeat.isDue(at: begin), heartbeat.isDue(at: begin)]
        #expect(beats == [true, false])
    }
}
