import Primitives

/// A publication that the broker has not acknowledged.
package struct SentPublication: Equatable, Sendable {
    package let token: UInt64?
    package let topic: String
    /// The size of the payload.
    package let bytes: Int
    package let isRetained: Bool
}

/// A packet that the broker has not answered when the connection ends.
package enum UnansweredPacket: Equatable, Sendable {
    case subscription(String)
    case publication(SentPublication)
}

/// The packets that the broker has not answered, in the order of sending.
///
/// A broker acknowledges publications in this order (MQTT 5 section 4.6). The first one tells whether the broker still
/// acknowledges: it may be slow with many, but not with the next one. A publication of QoS 0 has no answer: it counts as
/// answered with the next one of QoS 1.
struct SentPackets {
    fileprivate struct Entry {
        let mid: CInt
        let packet: UnansweredPacket
        let quality: QualityOfService
    }

    private var entries: [Entry] = []
    /// Since when the first publication is the first.
    private var firstSince: Instant?
    /// The publications that await an acknowledgement.
    private(set) var count = 0

    /// Publications of QoS 0 that are kept.
    private static let mostUnconfirmed = 16

    mutating func sent(
        _ mid: CInt, _ publication: SentPublication, _ quality: QualityOfService = .atLeastOnce,
        at now: Instant
    ) {
        let entry = Entry(mid: mid, packet: .publication(publication), quality: quality)
        if quality == .atMostOnce {
            let old = entries.filter { $0.quality == .atMostOnce }
            if old.count >= Self.mostUnconfirmed, let first = old.first { remove(first.mid) }
        } else {
            if count == 0 { firstSince = now }
            count += 1
        }
        entries.append(entry)
    }

    mutating func subscribed(_ mid: CInt, _ filter: String) {
        entries.append(
            Entry(mid: mid, packet: .subscription(filter), quality: .atLeastOnce))
    }

    /// - Returns: the publication; `nil` if no such publication of QoS 1 was sent. The library also reports when the socket has
    ///   taken one of QoS 0, which is no answer.
    mutating func answered(_ mid: CInt, at now: Instant) -> SentPublication? {
        guard let index = entries.firstIndex(where: { $0.mid == mid && $0.quality != .atMostOnce }),
            case .publication(let publication) = entries[index].packet
        else { return nil }
        let before = entries[..<index].filter { $0.quality != .atMostOnce }
        if !before.contains(where: \.isPublication) { firstSince = now }
        entries.replaceSubrange(...index, with: before)
        count -= 1
        return publication
    }

    /// - Returns: the filter; `nil` if no such subscription was sent.
    mutating func subscriptionAnswered(_ mid: CInt) -> String? {
        guard let index = entries.firstIndex(where: { $0.mid == mid }),
            case .subscription(let filter) = entries[index].packet
        else { return nil }
        entries.remove(at: index)
        return filter
    }

    var packets: [UnansweredPacket] { entries.map(\.packet) }

    /// Whether the first publication has no answer after this time.
    func isOverdue(_ limit: Duration, at now: Instant) -> Bool {
        guard count > 0, let firstSince else { return false }
        return now - firstSince >= limit
    }

    private mutating func remove(_ mid: CInt) { entries.removeAll { $0.mid == mid } }
}

extension SentPackets.Entry {
    fileprivate var isPublication: Bool {
        if case .publication = packet { true } else { false }
    }
}

/// Why a message was not sent.
package enum PublishFailure: Error, Equatable, Sendable {
    /// The connection has ended, or the broker has not accepted it yet.
    case notConnected
    /// The message breaks a rule or a limit of the broker's, with the code that the broker would have answered.
    case refused(ReasonCode)
}
