import Glibc

/// Waiting for descriptors (poll(2)).
package enum Poll {
    /// What may happen on a descriptor.
    package struct Events: OptionSet, Sendable {
        package let rawValue: Int16
        package init(rawValue: Int16) { self.rawValue = rawValue }

        package static let input = Events(rawValue: Int16(POLLIN))
        package static let output = Events(rawValue: Int16(POLLOUT))
        /// Error or hang-up: reported unasked.
        package static let failure = Events(rawValue: Int16(POLLERR | POLLHUP | POLLNVAL))
    }

    /// A descriptor, and what is waited for on it.
    package struct Interest: Sendable {
        package let descriptor: CInt
        package let events: Events

        package init(_ descriptor: CInt, _ events: Events = .input) {
            self.descriptor = descriptor
            self.events = events
        }
    }

    /// Waits until something happens, or until `timeout` milliseconds are over; `nil` waits for ever.
    ///
    /// - Returns: what happened, one entry per interest in the same order; all empty after the time-out or a signal.
    package static func wait(
        for interests: [Interest], timeout: Int? = nil
    ) throws(Errno) -> [Events] {
        var entries = interests.map {
            pollfd(fd: $0.descriptor, events: $0.events.rawValue, revents: 0)
        }
        let milliseconds = timeout.map { CInt(clamping: max(0, $0)) } ?? -1
        if Glibc.poll(&entries, nfds_t(entries.count), milliseconds) == -1 {
            let error = Errno.current
            guard error == .interrupted else { throw error }
            return interests.map { _ in [] }
        }
        return entries.map { Events(rawValue: $0.revents) }
    }
}
