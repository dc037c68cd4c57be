import Testing

@testable import Posix

@Suite struct ClocksTests {
    @Test("The boot clock never goes back, and the clocks tell the same time by their difference")
    func boot() {
        var last = Clocks.boot
        for _ in 0..<1000 {
            let now = Clocks.boot
            #expect(now >= last)
            last = now
        }
        #expect(abs(Clocks.boot + Clocks.wallMinusBoot - Clocks.wall) < 1_000_000)
    }

    @Test("Random words differ")
    func random() {
        #expect(Set((0..<100).map { _ in Random.word() }).count == 100)
    }
}
