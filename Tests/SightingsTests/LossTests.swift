import Testing

@testable import Sightings

@Suite("Loss")
struct LossTests {
    @Test("two losses are one over both, with the more urgent reason, in either order")
    func merge() {
        let old = Loss(batches: 3, fromSeq: 9, toSeq: 11, reason: .outboxFull)
        let refused = Loss(batches: 1, fromSeq: 4, toSeq: 4, reason: .refused)
        let both = Loss(batches: 4, fromSeq: 4, toSeq: 11, reason: .refused)
        var one = old
        one.merge(refused)
        var other = refused
        other.merge(old)
        #expect(one == both)
        #expect(other == both)
    }

    @Test("reasons read as the contract writes them, in their order of urgency")
    func reasons() {
        #expect(
            [Loss.Reason.refused, .mailboxFull, .tooOld, .outboxFull].sorted().map(\.rawValue) == [
                "too-old", "outbox-full", "mailbox-full", "refused",
            ])
    }

    @Test("a sum that is too large stays at the largest number")
    func overflow() {
        var loss = Loss(batches: .max, fromSeq: 0, toSeq: 5, reason: .mailboxFull)
        loss.merge(Loss(batches: 2, fromSeq: 6, toSeq: 7, reason: .mailboxFull))
        #expect(loss.batches == .max)
    }
}
