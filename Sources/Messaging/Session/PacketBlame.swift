import MQTT

/// The packet that a broker ends connections over.
package struct EndingPacket: Equatable, Sendable {
    package let packet: UnansweredPacket
    /// The broker's reason; `nil` if it closes the connections without one.
    package let reason: ReasonCode?
    /// Whether the packet was suspect before, and alone.
    package let isCertain: Bool
    /// Whether this was not known before: the packet becomes suspect, or certain.
    package let isNew: Bool
}

/// Finds the packet that a broker ends connections over.
///
/// A broker processes packets in order: if it closes a connection without a reason, the first packet without an answer is the
/// cause, or the network is. Two ends in a row over the same packet make it suspect, and a third one while it is alone makes it
/// certain. A reason of MQTT 5 tells the kind of packet, and makes one suspect immediately.
struct PacketBlame {
    private var first: UnansweredPacket?
    private var suspects: [Suspect] = []

    private struct Suspect {
        let packet: UnansweredPacket
        var isCertain = false
    }

    private static let mostSuspects = 32

    /// A connection ends.
    mutating func ended(
        _ cause: ConnectionFailure.Cause, _ unanswered: [UnansweredPacket]
    ) -> EndingPacket? {
        let before = first
        first = nil
        switch cause {
        case .dismissed(let reason) where reason.namesPacket:
            guard let packet = reason.cause(among: unanswered) else { return nil }
            return suspect(packet, among: unanswered, reason)
        case _ where cause.isWithoutReason: break
        default: return nil
        }
        guard let packet = unanswered.first else { return nil }
        let isKnown = index(of: packet) != nil && unanswered.count == 1
        guard isKnown || before?.isRepeated(by: packet) == true else {
            first = packet
            return nil
        }
        return suspect(packet, among: unanswered, nil)
    }

    private func index(of packet: UnansweredPacket) -> Int? {
        suspects.firstIndex { $0.packet.isRepeated(by: packet) }
    }

    private mutating func suspect(
        _ packet: UnansweredPacket, among unanswered: [UnansweredPacket], _ reason: ReasonCode?
    ) -> EndingPacket {
        guard let index = index(of: packet) else {
            suspects = suspects.suffix(Self.mostSuspects - 1) + [Suspect(packet: packet)]
            return EndingPacket(packet: packet, reason: reason, isCertain: false, isNew: true)
        }
        let isCertain = unanswered.count == 1
        let isNew = isCertain && !suspects[index].isCertain
        if isNew { suspects[index].isCertain = true }
        return EndingPacket(packet: packet, reason: reason, isCertain: isCertain, isNew: isNew)
    }
}

extension ConnectionFailure.Cause {
    /// Whether the broker, or the network, ended the connection and did not say why.
    var isWithoutReason: Bool {
        switch self {
        case .dismissed(.unspecified), .lost: true
        default: false
        }
    }
}

extension UnansweredPacket {
    /// Whether the other packet, of a later connection, has the same content, or is the newer state of a retained topic.
    fileprivate func isRepeated(by other: UnansweredPacket) -> Bool {
        switch (self, other) {
        case (.subscription(let filter), .subscription(let other)): filter == other
        case (.publication(let one), .publication(let other)):
            one.topic == other.topic && one.isRetained == other.isRetained
                && (one.isRetained || one.token == other.token)
        default: false
        }
    }

    fileprivate var publication: SentPublication? {
        if case .publication(let publication) = self { publication } else { nil }
    }
}

extension ReasonCode {
    /// Whether a DISCONNECT with this reason is the answer to a packet of the client.
    fileprivate var namesPacket: Bool {
        switch self {
        case .malformedPacket, .protocolError, .implementationSpecific, .notAuthorised,
            .topicFilterInvalid, .topicNameInvalid, .packetTooLarge, .payloadFormatInvalid,
            .retainNotSupported, .qosNotSupported, .sharedSubscriptionsNotSupported,
            .subscriptionIdentifiersNotSupported, .wildcardSubscriptionsNotSupported:
            true
        default: false
        }
    }

    /// The packet that the reason names.
    fileprivate func cause(among packets: [UnansweredPacket]) -> UnansweredPacket? {
        let publications = packets.filter { $0.publication != nil }
        return switch self {
        case .packetTooLarge:
            publications.max { $0.publication?.bytes ?? 0 < $1.publication?.bytes ?? 0 }
        case .retainNotSupported:
            publications.first { $0.publication?.isRetained == true }
        case .topicNameInvalid, .payloadFormatInvalid, .qosNotSupported: publications.first
        case .topicFilterInvalid, .sharedSubscriptionsNotSupported,
            .subscriptionIdentifiersNotSupported, .wildcardSubscriptionsNotSupported:
            packets.first { $0.publication == nil }
        default: packets.first
        }
    }
}
