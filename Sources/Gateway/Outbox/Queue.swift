import Sightings

/// A queue whose `popFirst` moves no elements.
struct Queue<Element> {
    private var slots: [Element?] = []
    private var start = 0

    init(_ elements: [Element] = []) { slots = elements }

    var count: Int { slots.count - start }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : slots[start] }
    /// All elements, oldest first.
    var elements: [Element] { slots[start...].compactMap(\.self) }

    mutating func append(_ element: Element) { slots.append(element) }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[start]
        // An empty slot keeps no memory.
        slots[start] = nil
        start += 1
        if isEmpty {
            self = Queue()
        } else if start > 32, start * 2 > slots.count {
            slots.removeFirst(start)
            start = 0
        }
        return element
    }
}

/// A batch that is handed out to be sent. Only `attempts` changes, so every repetition has the same bytes.
package struct Entry: Equatable, Sendable {
    /// Identifies the batch inside this outbox.
    package struct ID: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        /// A new batch has its sequence number. A batch of the backlog has a number from here, as its session may be another.
        static let firstOfBacklog: UInt64 = 1 << 62
    }

    package let id: ID
    package let stored: StoredBatch
    /// The number of attempts to send it, this one included.
    package internal(set) var attempts = 1

    package var session: String { stored.origin.session }
    package var batch: Batch { stored.batch }
    /// Converts the batch's instants to wall time. The first attempt decides it.
    package var stamp: Stamp { stored.stamp }
    /// The loss that the message declares.
    package var lost: Loss? { stored.lost }
}
