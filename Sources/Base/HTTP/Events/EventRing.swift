/// The latest server-sent events, for clients that resume (WHATWG HTML, section 9.2).
///
/// Events have increasing numbers. Their identifiers also name the epoch, which is another one after each start: a client
/// of an earlier epoch gets a snapshot.
package struct EventRing {
    package static let defaultCapacity = 1024
    package static let defaultMaxBytes = 1_048_576

    /// An event as its clients get it.
    struct Entry {
        var bytes: [UInt8] = []
        /// The subject that clients can select, e.g. a site; `nil` is for all.
        var topic: String?
        /// What a client must be allowed.
        var scope = Scope.public
        /// What clients below the scope get instead; `nil` if they get nothing.
        var reduced: [UInt8]?

        var count: Int { bytes.count + (reduced?.count ?? 0) }

        /// What a client of this scope gets; `nil` for nothing.
        func bytes(for client: Scope) -> [UInt8]? { client >= scope ? bytes : reduced }
    }

    package let epoch: String
    private let maxBytes: Int
    /// Each event is at its number modulo the capacity.
    private var events: [Entry]
    /// The number of the oldest event that is kept.
    private(set) var first: UInt64 = 1
    /// The number that the next event gets.
    private(set) var next: UInt64 = 1
    package private(set) var bytes = 0

    package init(
        epoch: String, capacity: Int = defaultCapacity, maxBytes: Int = defaultMaxBytes
    ) {
        self.epoch = epoch
        self.maxBytes = maxBytes
        events = Array(repeating: Entry(), count: max(1, capacity))
    }

    /// The identifier of the latest event; with the number 0 when there is none.
    package var latestID: String { id(next - 1) }

    /// Adds an event. The oldest ones go when there is no room.
    package mutating func append(
        _ name: String, _ data: [UInt8], topic: String? = nil, scope: Scope = .public,
        reduced: [UInt8]? = nil
    ) {
        let event = Entry(
            bytes: Self.encode(id: id(next), name, data), topic: topic, scope: scope,
            reduced: reduced.map { Self.encode(id: id(next), name, $0) })
        if next - first == UInt64(events.count) { dropFirst() }
        while bytes + event.count > maxBytes, first < next { dropFirst() }
        events[slot(next)] = event
        bytes += event.count
        next += 1
    }

    /// The event with this number; `nil` when it is gone or has not happened.
    func event(_ number: UInt64) -> Entry? {
        number >= first && number < next ? events[slot(number)] : nil
    }

    /// Where a client that has seen `lastEventID` goes on; `nil` when it needs a snapshot.
    package func position(after lastEventID: String) -> UInt64? {
        let prefix = epoch + "-"
        guard lastEventID.hasPrefix(prefix),
            let seen = UInt64(lastEventID.dropFirst(prefix.count)), seen < next, seen + 1 >= first
        else { return nil }
        return seen + 1
    }

    /// The event's lines and the empty line after them. Each line of the data gets its own field.
    static func encode(id: String?, _ name: String, _ data: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(data.count + 64)
        if let id { text += "id: \(id)\n".utf8 }
        text += "event: \(name)\n".utf8
        for line in lines(of: data) {
            text += "data: ".utf8
            text += line
            text.append(UInt8(ascii: "\n"))
        }
        text.append(UInt8(ascii: "\n"))
        return text
    }

    private static func lines(of data: [UInt8]) -> [ArraySlice<UInt8>] {
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        return data.split(separator: feed, omittingEmptySubsequences: false).flatMap {
            let line = $0.last == carriage ? $0.dropLast() : $0
            return line.split(separator: carriage, omittingEmptySubsequences: false)
        }
    }

    private func id(_ number: UInt64) -> String { "\(epoch)-\(number)" }

    private func slot(_ number: UInt64) -> Int { Int(number % UInt64(events.count)) }

    private mutating func dropFirst() {
        bytes -= events[slot(first)].count
        events[slot(first)] = Entry()
        first += 1
    }
}
