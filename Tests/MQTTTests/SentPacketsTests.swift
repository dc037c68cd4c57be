import Primitives
import Testing

@testable import MQTT

@Suite("SentPackets")
struct SentPacketsTests {
    private let limit = Duration.seconds(30)

    private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

    private func publication(_ token: UInt64?) -> SentPublication {
        SentPublication(token: token, topic: "t", bytes: 2, isRetained: false)
    }

    @Test("the first publication is overdue after the limit, whatever happens to later ones")
    func swallowed() {
        var sent = SentPackets()
        #expect(!sent.isOverdue(limit, at: at(1000)))
        for mid in 1...3 as ClosedRange<CInt> {
            sent.sent(mid, publication(UInt64(mid)), at: at(0))
        }
        #expect(sent.answered(2, at: at(20))?.token == 2)
        #expect(!sent.isOverdue(limit, at: at(29)))
        #expect(sent.isOverdue(limit, at: at(30)))
        #expect(sent.count == 2)
    }

    @Test("a slow broker that acknowledges one after another is not overdue")
    func slow() {
        var sent = SentPackets()
        for mid in 1...20 as ClosedRange<CInt> { sent.sent(mid, publication(nil), at: at(0)) }
        for mid in 1...20 as ClosedRange<CInt> {
            let now = at(Int64(mid) * 29)
            #expect(!sent.isOverdue(limit, at: now))
            #expect(sent.answered(mid, at: now) == publication(nil))
        }
        #expect(!sent.isOverdue(limit, at: at(10_000)))
    }

    @Test("an answer to an unknown publication is ignored")
    func unknown() {
        var sent = SentPackets()
        sent.sent(1, publication(7), at: at(0))
        #expect(sent.answered(9, at: at(20)) == nil)
        #expect(sent.isOverdue(limit, at: at(30)))
    }

    @Test("unanswered packets are in the order of sending, also when the identifiers begin again")
    func order() {
        var sent = SentPackets()
        sent.subscribed(65_534, "b")
        for mid in [65_535, 1] as [CInt] { sent.sent(mid, publication(UInt64(mid)), at: at(0)) }
        sent.subscribed(2, "a")
        sent.sent(3, publication(3), at: at(0))
        #expect(sent.answered(1, at: at(0))?.token == 1)
        #expect(
            sent.packets == [
                .subscription("b"), .publication(publication(65_535)), .subscription("a"),
                .publication(publication(3)),
            ])
        #expect(sent.subscriptionAnswered(2) == "a")
        #expect(sent.subscriptionAnswered(3) == nil)
        #expect(sent.packets.count == 3)
    }

    @Test("a publication without an answer is a candidate until a later one has its answer")
    func unconfirmed() {
        var sent = SentPackets()
        for mid in 1...100 as ClosedRange<CInt> {
            sent.sent(mid, publication(UInt64(mid)), .atMostOnce, at: at(0))
        }
        #expect(sent.answered(100, at: at(0)) == nil)
        #expect(sent.count == 0)
        #expect(sent.packets.count == 16)
        #expect(!sent.isOverdue(limit, at: at(1000)))
        sent.sent(101, publication(101), at: at(0))
        sent.sent(102, publication(102), .atMostOnce, at: at(0))
        #expect(sent.answered(101, at: at(1))?.token == 101)
        #expect(sent.packets == [.publication(publication(102))])
    }
}
