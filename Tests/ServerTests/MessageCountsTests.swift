import Facts
import Queueing
import ResultStore
import StoreSQLite
import Testing

@testable import Server

@Suite("counts of messages")
struct MessageCountsTests {
    private let foreign = StoreBatch.Counter(site: "s", gateway: "g", outcome: "foreign")

    @Test("refused messages alone are stored only when counts are due")
    func refused() {
        var counts = MessageCounts()
        counts.add(.foreign, site: "s", gateway: "g")
        counts.add(.foreign, site: "s", gateway: "g")
        let early = counts.takeFresh(with: StoreBatch(), isDue: false)
        #expect(early.isEmpty)
        let due = counts.takeFresh(with: StoreBatch(), isDue: true)
        #expect(due == [foreign: 2])
        let next = counts.takeFresh(with: StoreBatch(), isDue: true)
        #expect(next.isEmpty)
    }

    @Test("counts are stored together with a window")
    func together() {
        var counts = MessageCounts()
        counts.add(.foreign, site: "s", gateway: "g")
        var batch = StoreBatch()
        batch.add(
            WindowFact(
                session: "a", numbers: 1...1, span: 0..<1000, readings: []),
            site: "s",
            gateway: "g")
        let counted = counts.takeFresh(with: batch, isDue: false)
        #expect(counted == [foreign: 1])
    }
}
