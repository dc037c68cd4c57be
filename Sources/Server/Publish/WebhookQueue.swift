import Posix
import Primitives

/// The events that wait for the webhook's thread, and what became of the others.
final class WebhookQueue: Sendable {
    private struct State {
        /// Without the event that the thread tries.
        var waiting: [[UInt8]] = []
        var sent = 0
        var lost = 0
        /// Why the last attempt failed, and until when that is a fault; `nil` until an attempt succeeds.
        var failure: (why: String, end: Instant?)?
        /// Whether the owner has gone.
        var isOver = false
    }

    private let state = Guarded(State())
    private let wakeUp: EventCounter

    static let most = 2000

    init() throws(Errno) { wakeUp = try EventCounter() }

    var counts: (sent: Int, lost: Int) { state.withLock { ($0.sent, $0.lost) } }

    func failure(at now: Instant) -> String? {
        guard let failure = state.withLock({ $0.failure }) else { return nil }
        return failure.end.map { $0 <= now } ?? false ? nil : failure.why
    }

    // MARK: The owner

    func add(_ event: [UInt8]) {
        state.withLock { state in
            if state.waiting.count >= Self.most {
                state.waiting.removeFirst()
                state.lost += 1
            }
            state.waiting.append(event)
        }
        wakeUp.signal()
    }

    /// Ends the thread, after its present attempt at the latest.
    func end() {
        state.withLock { $0.isOver = true }
        wakeUp.signal()
    }

    // MARK: The thread

    /// Waits for the next event.
    ///
    /// - Returns: `nil` once the owner has gone.
    func next() -> [UInt8]? {
        while waits(.zero) {
            let event: [UInt8]? = state.withLock { state in
                state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            if let event { return event }
            let interest = Poll.Interest(wakeUp.descriptor.rawValue)
            guard (try? Poll.wait(for: [interest])) != nil else { return nil }
        }
        return nil
    }

    /// Waits.
    ///
    /// - Returns: whether the owner is still there.
    func waits(_ time: Duration) -> Bool {
        let end = Instant.now + time
        while true {
            // Before the question: what follows it wakes the thread.
            wakeUp.clear()
            if state.withLock({ $0.isOver }) { return false }
            guard Instant.now < end else { return true }
            let interest = Poll.Interest(wakeUp.descriptor.rawValue)
            guard (try? Poll.wait(for: [interest], until: end)) != nil else { return false }
        }
    }

    func sent() {
        state.withLock {
            $0.sent += 1
            $0.failure = nil
        }
    }

    /// The event is tried again.
    func failed(_ why: String) { state.withLock { $0.failure = (why, nil) } }

    func lost(_ why: String, until end: Instant) {
        state.withLock {
            $0.lost += 1
            $0.failure = ("\(why), and an event is lost", end)
        }
    }
}
