import Primitives
import Testing

@testable import Outbox

@Suite("failed disk")
struct DiskFailureTests {
    @Test(
        "after hours of failure, the disk is tried twice a minute and gets the batches from memory")
    func triedAgain() {
        let disk = FakeDisk()
        disk.failure = FakeDisk.full
        var outbox = Outbox(origin: Origin(session: "new"), disk: disk)
        var attempts: Set<Instant> = []
        for second in 0..<7200 as Range<Int64> {
            if second % 10 == 0 { outbox.append(batch(UInt64(second / 10)), at: at(second)) }
            outbox.tick(at: at(second))
            if let next = outbox.persistence.availability.nextAttempt { attempts.insert(next) }
        }
        let gaps = zip(attempts.sorted(), attempts.sorted().dropFirst()).map {
            $1.microseconds(since: $0)
        }
        #expect(gaps.count > 200)
        #expect(gaps.allSatisfy { $0 <= 31_000_000 })
        disk.failure = nil
        for second in 7200..<7231 as Range<Int64> { outbox.tick(at: at(second)) }
        #expect(outbox.isDurable)
        #expect(outbox.stored == 720)
    }
}
