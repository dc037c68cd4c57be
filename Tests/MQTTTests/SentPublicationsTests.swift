import Primitives
import Testing

@testable import MQTT

@Suite("SentPublications")
struct SentPublicationsTests {
    private let limit = Duration.seconds(30)

    private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

    private func publication(_ token: UInt64?) -> SentPublication {
        SentPublication(token: token, topic: "t", bytes: 2, isRetained: false)
    }

    @Test("the first publication is overdue after the limit, whatever happens to later ones")
    func swallowed() {
        var sent = SentPublications()
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
        var sent = SentPublications()
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
        var sent = SentPublications()
        sent.sent(1, publication(7), at: at(0))
        #expect(sent.answered(9, at: at(20)) == nil)
        #expect(sent.isOverdue(limit, at: at(30)))
    }

    @Test("unanswered packets are in the order of sending")
    func unanswered() {
        var sent = SentPublications()
        for mid in [2, 3, 5] as [CInt] { sent.sent(mid, publication(UInt64(mid)), at: at(0)) }
        _ = sent.answered(3, at: at(0))
        #expect(
            sent.unanswered(with: [4: "a", 1: "b"]) == [
                .subscription("b"), .publication(publication(2)), .subscription("a"),
                .publication(publication(5)),
            ])
    }
}
