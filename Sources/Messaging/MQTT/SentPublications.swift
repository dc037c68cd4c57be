import Primitives

/// A publication that the broker has not acknowledged.
package struct SentPublication: Equatable, Sendable {
    package let token: UInt64?
    package let topic: String
    /// The size of the payload.
    package let bytes: Int
    package let isRetained: Bool

    package init(token: UInt64?, topic: String, bytes: Int, isRetained: Bool) {
        self.token = token
        self.topic = topic
        self.bytes = bytes
        self.isRetained = isRetained
    }
}

/// A packet that the broker has not answered when the connection ends.
package enum UnansweredPacket: Equatable, Sendable {
    case subscription(String)
    case publication(SentPublication)
}

/// The publications that await an acknowledgement, by packet identifier, in the order of sending.
///
/// A broker acknowledges in this order (MQTT 5 section 4.6). The first one tells whether the broker still acknowledges: it
/// may be slow with many, but not with the next one.
struct SentPublications {
    private var publications: [CInt: SentPublication] = [:]
    private var order: [CInt] = []
    /// Since when the first publication is the first.
    private var firstSince: Instant?

    var count: Int { order.count }

    mutating func sent(_ mid: CInt, _ publication: SentPublication, at now: Instant) {
        if order.isEmpty { firstSince = now }
        order.append(mid)
        publications[mid] = publication
    }

    /// - Returns: the publication; `nil` if no such publication was sent.
    mutating func answered(_ mid: CInt, at now: Instant) -> SentPublication? {
        guard let publication = publications.removeValue(forKey: mid) else { return nil }
        if order.first == mid { firstSince = now }
        order.removeAll { $0 == mid }
        return publication
    }

    /// All unanswered packets in the order of sending, with the subscriptions.
    func unanswered(with filters: [CInt: String]) -> [UnansweredPacket] {
        let packets =
            publications.map { (mid: $0.key, packet: UnansweredPacket.publication($0.value)) }
            + filters.map { (mid: $0.key, packet: .subscription($0.value)) }
        return packets.sorted { $0.mid < $1.mid }.map(\.packet)
    }

    /// Whether the first publication has no answer after this time.
    func isOverdue(_ limit: Duration, at now: Instant) -> Bool {
        guard !order.isEmpty, let firstSince else { return false }
        return now - firstSince >= limit
    }
}
