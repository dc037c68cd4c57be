/// A bounded queue from one thread to another, which wakes its reader through a descriptor.
///
/// A full mailbox refuses and counts new messages; the sender never waits.
package final class Mailbox<Message: Sendable>: Sendable {
    private struct State: Sendable {
        var messages: [Message] = []
        var refused = 0
    }

    private let state = Guarded(State())
    private let wakeUp: EventCounter
    private let capacity: Int

    package init(capacity: Int) throws(Errno) {
        self.capacity = capacity
        wakeUp = try EventCounter()
    }

    /// Readable while something is in the box.
    package var descriptor: CInt { wakeUp.descriptor.rawValue }

    /// Messages refused so far.
    package var refused: Int { state.withLock { $0.refused } }

    /// Puts a message in; `false` if the box was full.
    @discardableResult
    package func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard state.messages.count < capacity else {
                state.refused += 1
                return false
            }
            if state.messages.isEmpty { wakeUp.signal() }
            state.messages.append(message)
            return true
        }
    }

    /// Takes all messages out, oldest first.
    package func take() -> [Message] {
        state.withLock { state in
            // Asked at every turn of a loop, and mostly for nothing: that costs no system call.
            guard !state.messages.isEmpty else { return [] }
            defer { state.messages = [] }
            wakeUp.clear()
            return state.messages
        }
    }
}
