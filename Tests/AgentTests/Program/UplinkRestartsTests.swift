import Primitives
import Testing

@testable import Agent

@Suite("restarts of the uplink")
struct UplinkRestartsTests {
    private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

    @Test("the wait doubles from a second to a minute, and each cause is logged once")
    func doubling() {
        var restarts = UplinkRestarts()
        var waits: [Int64] = []
        var logged: [Bool] = []
        for second in 0..<9 {
            restarts.began(at: at(Int64(second)))
            let (wait, isNew) = restarts.ended(
                second < 8 ? "signal 6" : "hung", at: at(Int64(second)))
            waits.append(wait.wholeSeconds)
            logged.append(isNew)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(logged == [true, false, false, false, false, false, false, false, true])
    }

    @Test("a delivery ends the doubling, and an uplink that lasted has its end logged again")
    func reset() {
        var restarts = UplinkRestarts()
        for _ in 0..<5 { _ = restarts.ended("signal 6", at: at(0)) }
        restarts.delivered()
        let next = restarts.ended("signal 6", at: at(0))
        #expect(next == (.seconds(1), false))
        restarts.began(at: at(0))
        let later = restarts.ended("signal 6", at: at(61))
        #expect(later == (.seconds(2), true))
    }
}
