import Primitives
import Testing

@testable import Posix

@Suite struct PollTests {
    @Test("the results are in the order of the descriptors")
    func happens() throws {
        let (one, other) = try Sockets.pair()
        let near = Descriptor(owning: one)
        let far = Descriptor(owning: other)
        let idle = try EventCounter()
        let interests = [
            Poll.Interest(idle.descriptor.rawValue), Poll.Interest(near.rawValue),
            Poll.Interest(near.rawValue, .output),
        ]
        #expect(try Poll.wait(for: interests) == [[], [], .output])
        try far.writeAll([1])
        #expect(try Poll.wait(for: interests) == [[], .input, .output])
        far.close()
        let closed = try Poll.wait(for: interests)
        #expect(closed[1].contains(.input) && !closed[1].isDisjoint(with: .failure))
    }

    @Test("without events, poll returns after the timeout, not before it", arguments: [0, 30])
    func timeout(milliseconds: Int) throws {
        let idle = try EventCounter()
        let start = Instant.now
        let events = try Poll.wait(
            for: [Poll.Interest(idle.descriptor.rawValue)], timeout: milliseconds)
        #expect(events == [[]])
        // The kernel may round up to its ticks, but never waits less.
        #expect(.now - start >= .milliseconds(milliseconds - 1))
    }

    @Test("a timeout out of poll's range is clamped")
    func clamped() throws {
        let ready = try EventCounter()
        ready.signal()
        for timeout in [Int.min, -1, Int.max] {
            let interest = Poll.Interest(ready.descriptor.rawValue)
            #expect(try Poll.wait(for: [interest], timeout: timeout) == [.input])
        }
        #expect(try Poll.wait(for: [], timeout: Int.min).isEmpty)
    }
}
