import CLinux
import Glibc
import Primitives

/// Waiting for descriptors (poll(2)).
package enum Poll {
    /// Events on a descriptor.
    package struct Events: OptionSet, Sendable {
        package let rawValue: Int16
        package init(rawValue: Int16) { self.rawValue = rawValue }

        package static let input = Events(rawValue: Int16(POLLIN))
        package static let output = Events(rawValue: Int16(POLLOUT))
        /// Error or hang-up: reported unasked.
        package static let failure = Events(rawValue: Int16(POLLERR | POLLHUP | POLLNVAL))
    }

    /// A descriptor and the events to wait for.
    package struct Interest: Sendable {
        package let descriptor: CInt
        package let events: Events

        package init(_ descriptor: CInt, _ events: Events = .input) {
            self.descriptor = descriptor
            self.events = events
        }
    }

    /// Waits until an event occurs or `timeout` milliseconds have passed; `nil` waits without
    /// limit.
    ///
    /// - Returns: one entry an interest, in the same order. All are empty after a time-out or a
    ///   signal.
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

    /// What happened on each descriptor.
    package struct Ready: Sendable {
        private var events: [CInt: Events] = [:]

        /// Empty for a descriptor without an event, and for an unknown one.
        package subscript(descriptor: CInt?) -> Events {
            descriptor.flatMap { events[$0] } ?? []
        }

        fileprivate init(_ interests: [Interest], _ events: [Events]) {
            for (interest, events) in zip(interests, events) {
                self.events[interest.descriptor, default: []].formUnion(events)
            }
        }
    }

    /// Waits until something happens, or until `deadline` on the boot clock; without one, without limit.
    package static func wait(
        for interests: [Interest], until deadline: Instant?
    ) throws(Errno) -> Ready {
        // Rounded up: a wait that ends before its deadline would be repeated.
        let timeout = deadline.map { deadline in
            Int(clamping: max(.zero, deadline - .now).milliseconds + 1)
        }
        return Ready(interests, try wait(for: interests, timeout: timeout))
    }
}

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

/// A descriptor that one thread signals to wake another (eventfd(2)).
package struct EventCounter: ~Copyable, Sendable {
    package let descriptor: Descriptor

    package init() throws(Errno) {
        descriptor = try Descriptor(from: { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) })
    }

    /// Makes the descriptor readable; can't fail but by overflow, which is as good.
    package func signal() { _ = eventfd_write(descriptor.rawValue, 1) }

    /// Makes it unreadable again.
    package func clear() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.rawValue, &count)
    }
}
