import Testing

@testable import Posix

@Suite struct PollSetTests {
    @Test("a wait has the events of each descriptor, and of the first ones only if requested")
    func waits() throws {
        let first = try EventCounter()
        let second = try EventCounter()
        var set = PollSet()
        for _ in 0..<2 {
            set.removeAll()
            set.insert(first.descriptor.rawValue)
            set.insert(second.descriptor.rawValue)
            #expect(set.count == 2)
            second.signal()
            try set.wait(first: 1, milliseconds: 0)
            #expect(set[0].isEmpty && set[1].isEmpty)
            try set.wait(milliseconds: 0)
            #expect(set[0].isEmpty && set[1] == .input)
            first.signal()
            try set.wait(first: 1, milliseconds: 1000)
            #expect(set[0] == .input && set[1].isEmpty)
            first.clear()
            second.clear()
            try set.wait(milliseconds: 0)
            #expect(set[0].isEmpty && set[1].isEmpty)
        }
    }
}
