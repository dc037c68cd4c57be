import Glibc
import Testing

@testable import Posix

@Suite struct SignalsTests {
    private final class Box: Sendable {
        let numbers = Guarded<[CInt?]>([])
    }

    @Test("a signal wakes a poll and is read once")
    func reads() throws {
        let box = Box()
        // In a separate thread, so that the signal masks of the tests' threads stay unchanged.
        let thread = try Thread(name: "signals") {
            guard let signals = try? Signals([SIGUSR1, SIGUSR2]) else { return }
            var numbers = [signals.next()]
            for number in [SIGUSR1, SIGUSR2] {
                pthread_kill(pthread_self(), number)
                let interest = Poll.Interest(signals.descriptor.rawValue)
                let events = try? Poll.wait(for: [interest], timeout: 10_000)
                numbers.append(events == [.input] ? signals.next() : -1)
                numbers.append(signals.next())
            }
            box.numbers.withLock { $0 = numbers }
        }
        thread.join()
        #expect(box.numbers.withLock { $0 } == [nil, SIGUSR1, nil, SIGUSR2, nil])
    }
}
