import Primitives

/// The publications that await an acknowledgement, by packet identifier, in the order of sending.
///
/// A broker acknowledges in this order (MQTT 5 section 4.6). The first one tells whether the broker still acknowledges: it
/// may be slow with many, but not with the next one.
struct SentPublications {
    private var tokens: [CInt: UInt64?] = [:]
    private var order: [CInt] = []
    /// Since when the first publication is the first.
    private var firstSince: Instant?

    var count: Int { order.count }

    mutating func sent(_ mid: CInt, token: UInt64?, at now: Instant) {
        if order.isEmpty { firstSince = now }
        order.append(mid)
        tokens.updateValue(token, forKey: mid)
    }

    /// - Returns: the publication's token; `nil` if no such publication was sent.
    mutating func answered(_ mid: CInt, at now: Instant) -> UInt64?? {
        guard let token = tokens.removeValue(forKey: mid) else { return nil }
        if order.first == mid { firstSince = now }
        order.removeAll { $0 == mid }
        return token
    }

    mutating func removeAll() { self = SentPublications() }

    /// Whether the first publication has no answer after this time.
    func isOverdue(_ limit: Duration, at now: Instant) -> Bool {
        guard !order.isEmpty, let firstSince else { return false }
        return now - firstSince >= limit
    }
}
