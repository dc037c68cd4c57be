import Glibc

/// Descriptors to wait for in a loop (poll(2)). A loop that fills the same set each time allocates nothing.
package struct PollSet {
    private var entries: [pollfd] = []

    package init() {}

    package var count: Int { entries.count }

    package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    package mutating func insert(_ descriptor: CInt, _ events: Poll.Events = .input) {
        entries.append(pollfd(fd: descriptor, events: events.rawValue, revents: 0))
    }

    /// The events of the descriptor at `index` in the latest wait.
    package subscript(index: Int) -> Poll.Events { Poll.Events(rawValue: entries[index].revents) }

    /// Waits until an event occurs or the time has passed. A signal ends the wait without events.
    ///
    /// - Parameter count: the number of descriptors to wait for, from the first on; `nil` for all.
    package mutating func wait(first count: Int? = nil, milliseconds: Int) throws(Errno) {
        let count = min(count ?? entries.count, entries.count)
        for index in entries.indices { entries[index].revents = 0 }
        guard poll(&entries, nfds_t(count), CInt(clamping: max(0, milliseconds))) == -1 else {
            return
        }
        let error = Errno.current
        guard error == .interrupted else { throw error }
        for index in entries.indices { entries[index].revents = 0 }
    }
}
