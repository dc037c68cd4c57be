import Testing

@testable import Posix

@Suite struct ClocksTests {
    @Test("the boot clock never goes back, and its offset gives the wall clock's time")
    func boot() {
        var last = Clocks.boot
        for _ in 0..<1000 {
            let now = Clocks.boot
            #expect(now >= last)
            last = now
        }
        #expect(abs(Clocks.boot + Clocks.wallMinusBoot - Clocks.wall) < 1_000_000)
    }

    @Test("random words differ")
    func random() {
        #expect(Set((0..<100).map { _ in Random.word() }).count == 100)
    }
}
