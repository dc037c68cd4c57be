import Testing

@testable import MQTT
@testable import Session

@Suite("PacketBlame")
struct PacketBlameTests {
    private let lost = ConnectionFailure.Cause.lost(nil)
    private let status = UnansweredPacket.subscription("status")

    private func batch(_ token: UInt64, bytes: Int = 100) -> UnansweredPacket {
        .publication(
            SentPublication(token: token, topic: "sightings", bytes: bytes, isRetained: false))
    }

    private func retained(_ token: UInt64) -> UnansweredPacket {
        .publication(SentPublication(token: token, topic: "s", bytes: 9, isRetained: true))
    }

    @Test("the first unanswered packet of two ends in a row is the suspect")
    func twice() {
        var blame = PacketBlame()
        #expect(blame.ended(lost, [status, batch(1)]) == nil)
        #expect(
            blame.ended(lost, [status, batch(2)])
                == EndingPacket(packet: status, reason: nil, isCertain: false, isNew: true))
    }

    @Test("a packet that is acknowledged in between, or another first one, is no suspect")
    func different() {
        var blame = PacketBlame()
        #expect(blame.ended(lost, [batch(1), batch(2)]) == nil)
        #expect(blame.ended(lost, [batch(2), batch(1)]) == nil)
        #expect(blame.ended(lost, []) == nil)
        #expect(blame.ended(lost, [batch(2)]) == nil)
    }

    @Test("a newer state of a retained topic is the same packet")
    func states() {
        var blame = PacketBlame()
        #expect(blame.ended(lost, [retained(1)]) == nil)
        #expect(blame.ended(lost, [retained(2)])?.packet == retained(2))
    }

    @Test("a suspect that ends a connection alone is certain")
    func certain() {
        var blame = PacketBlame()
        for _ in 0..<2 { _ = blame.ended(lost, [batch(1), batch(2)]) }
        #expect(blame.ended(lost, [batch(1)])?.isCertain == true)
    }

    @Test("the end of a network or of a broker blames no packet")
    func innocent() {
        var blame = PacketBlame()
        let causes: [ConnectionFailure.Cause] = [
            .silent, .unacknowledged, .dismissed(.serverShuttingDown),
            .dismissed(.keepAliveTimeout),
            .dismissed(.administrativeAction), .takenOver(clientID: "c"), .requested,
        ]
        for cause in causes + causes { #expect(blame.ended(cause, [status]) == nil) }
    }

    @Test("a reason makes the packet suspect at once, and certain if the packet comes again alone")
    func reasons() {
        let packets = [status, batch(1), batch(2, bytes: 5000), retained(3)]
        let causes: [(ReasonCode, UnansweredPacket)] = [
            (.packetTooLarge, batch(2, bytes: 5000)), (.retainNotSupported, retained(3)),
            (.wildcardSubscriptionsNotSupported, status), (.topicNameInvalid, batch(1)),
            (.notAuthorised, status),
        ]
        for (reason, packet) in causes {
            var blame = PacketBlame()
            let ends = [
                (packets, false, true), (packets, false, false), ([packet], true, true),
                ([packet], true, false),
            ]
            for (unanswered, isCertain, isNew) in ends {
                let end = EndingPacket(
                    packet: packet, reason: reason, isCertain: isCertain, isNew: isNew)
                #expect(blame.ended(.dismissed(reason), unanswered) == end)
            }
        }
    }
}
