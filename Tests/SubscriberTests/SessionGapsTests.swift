import Contract
import Sightings
import Testing

@testable import Subscriber

@Suite("Gaps in a session's numbers")
struct SessionGapsTests {
    private static func gaps(_ numbers: [UInt64]) -> SessionGaps {
        var gaps = SessionGaps()
        for number in numbers { _ = gaps.on(seq: number, lost: nil) }
        return gaps
    }

    @Test(
        "numbers between the first and the last are missed, earlier ones are not",
        arguments: [
            ([7], 0), ([7, 8, 9], 0), ([7, 9], 1), ([7, 12, 20], 11), ([7, 9, 8], 0),
            ([7, 10, 9], 1), ([7, 10, 10, 7], 2), ([0, UInt64.max], UInt64.max - 1),
        ] as [([UInt64], UInt64)])
    func missed(numbers: [UInt64], missed: UInt64) {
        #expect(Self.gaps(numbers).missed == missed)
    }

    @Test("A message is new, late or repeated")
    func outcomes() {
        var gaps = SessionGaps()
        let outcomes = [5, 8, 6, 6, 4].map { gaps.on(seq: $0, lost: nil) }
        #expect(outcomes == [.new, .new, .late, .repeated, .repeated])
    }

    @Test("A merged message is no gap, and fills the gap of all its numbers")
    func merged() {
        var gaps = Self.gaps([4])
        #expect(gaps.on(5...9, lost: nil) == .new)
        #expect(gaps.missed == 0)
        _ = gaps.on(seq: 100, lost: nil)
        #expect(gaps.missed == 90)
        #expect(gaps.on(20...79, lost: nil) == .late)
        #expect(gaps.missed == 30)
        #expect(gaps.on(20...79, lost: nil) == .repeated)
        #expect(gaps.on(10...19, lost: nil) == .late)
        let lost = Loss(batches: 10, fromSeq: 80, toSeq: 89, reason: .outboxFull)
        #expect(gaps.on(90...99, lost: lost) == .late)
        #expect(gaps.missed == 0)
        #expect(gaps.lost == 10)
    }

    @Test("What the gateway says to have lost is lost, not missed")
    func told() {
        var gaps = Self.gaps([4])
        let lost = Loss(batches: 3, fromSeq: 5, toSeq: 7, reason: .outboxFull)
        _ = gaps.on(seq: 10, lost: lost)
        #expect(gaps.lost == 3)
        #expect(gaps.missed == 2)
        #expect(gaps.reason == "outbox-full")
    }

    @Test("Of a loss with holes, as many are explained as were lost")
    func holes() {
        var gaps = Self.gaps([4, 6])
        _ = gaps.on(seq: 10, lost: Loss(batches: 2, fromSeq: 5, toSeq: 9, reason: .outboxFull))
        #expect(gaps.lost == 2)
        #expect(gaps.missed == 2)
    }

    @Test("a repeated or invalid loss changes nothing")
    func nonsense() {
        var gaps = Self.gaps([4])
        let lost = Loss(batches: .max, fromSeq: 9, toSeq: 5, reason: .refused)
        _ = gaps.on(seq: 5, lost: lost)
        let again = Loss(batches: 3, fromSeq: 1, toSeq: 3, reason: .outboxFull)
        _ = gaps.on(seq: 5, lost: again)
        #expect(gaps.lost == 0)
        _ = gaps.on(seq: .max, lost: Loss(batches: .max, fromSeq: 0, toSeq: .max, reason: .refused))
        #expect(gaps.missed == 0)
    }

    @Test("messages during a lost connection are not missed")
    func away() {
        var gaps = Self.gaps([4])
        gaps.interrupt()
        _ = gaps.on(seq: 20, lost: nil)
        #expect(gaps.missed == 0)
        _ = gaps.on(seq: 22, lost: nil)
        #expect(gaps.missed == 1)
    }

    @Test("However many gaps there are, all are counted")
    func manyGaps() {
        #expect(Self.gaps((0...500).map { $0 * 2 }).missed == 500)
    }
}
