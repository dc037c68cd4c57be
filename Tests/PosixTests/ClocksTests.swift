import Primitives
import Testing

@testable import Posix

@Suite struct ClocksTests {
    @Test("the boot clock never goes back, and its offset gives the wall clock's time")
    func boot() {
        var last = Instant.now
        for _ in 0..<1000 {
            let now = Instant.now
            #expect(now >= last)
            last = now
        }
        #expect(abs(((Instant.now + Clocks.wallMinusBoot) - Clocks.wall).microseconds) < 1_000_000)
    }

    @Test("random words differ")
    func random() {
        #expect(Set((0..<100).map { _ in Random.word() }).count == 100)
    }
}
