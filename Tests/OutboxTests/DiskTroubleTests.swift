import Testing

@testable import Outbox

@Suite("A disk in trouble")
struct DiskTroubleTests {
    @Test("A disk that has failed for hours is back half a minute after the trouble ends")
    func backSoon() {
        let disk = FakeDisk()
        disk.failure = FakeDisk.full
        var outbox = Outbox(origin: Origin(session: "new"), disk: disk)
        for second in 0..<7200 as Range<Int64> {
            if second % 10 == 0 { outbox.append(batch(UInt64(second / 10)), at: at(second)) }
            outbox.tick(at: at(second))
        }
        disk.failure = nil
        for second in 7200..<7231 as Range<Int64> { outbox.tick(at: at(second)) }
        #expect(outbox.isDurable)
        #expect(outbox.stored == 720)
    }
}
