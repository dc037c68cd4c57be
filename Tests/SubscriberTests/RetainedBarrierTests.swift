import Primitives
import Subscriber
import Testing

@Suite struct RetainedBarrierTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

    @Test("retained messages end with a pause after the broker's answer")
    func pause() {
        var barrier = RetainedBarrier()
        #expect(barrier.deadline == nil && !barrier.isComplete(at: at(100_000)))
        // Before the answer, messages of the first subscriptions arrive.
        barrier.received(at: at(10))
        #expect(barrier.deadline == nil)
        barrier.subscribed(at: at(1000))
        barrier.received(at: at(1200))
        #expect(!barrier.isComplete(at: at(1499)) && barrier.deadline == at(1500))
        #expect(barrier.isComplete(at: at(1500)))
    }

    @Test("messages without a pause are no reason to wait longer than five seconds")
    func limit() {
        var barrier = RetainedBarrier()
        barrier.subscribed(at: at(0))
        for time in stride(from: 0, to: 10_000, by: 100) { barrier.received(at: at(Int64(time))) }
        #expect(barrier.deadline == at(5000))
    }
}
