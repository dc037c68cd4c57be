import Posix
import Primitives
import Testing

@testable import MQTT

@Suite("messages between a program and the process of its connection")
struct ConnectionCodingTests {
    private static let address = "broker:1883"

    private static var requests: [ConnectionRequest] {
        var full = ConnectionSettings(
            host: "::1", port: 65535,
            tls: TLSSettings(
                caFile: "/ca", client: .init(certFile: "/cert", keyFile: "/key")),
            username: "ü", password: "", clientID: "id", keepAliveSeconds: 7,
            answerTimeout: .milliseconds(1), maximumPayload: 0)
        full.connackTimeout = .seconds(4)
        full.asksForHTTP = false
        full.reading = DurableReading(expirySeconds: .max, receiveMaximum: 1, batch: 3)
        var will = Will(topic: "w", payload: [0, 255])
        will.quality = .atMostOnce
        will.isRetained = false
        var message = Publication(
            topic: "t", payload: Array(0...255), quality: .atMostOnce, isRetained: true,
            contentType: "application/json", expirySeconds: 9)
        message.userProperties = [UserProperty(name: "a", value: "b")]
        return [
            .start(ConnectionSettings(host: "h", port: 1), .v311, nil), .start(full, .v5, will),
            .publish(message, token: .max),
            .publish(Publication(topic: "", payload: []), token: nil),
            .subscribe(["a/#", "+"], .atLeastOnce), .subscribe([], .atMostOnce),
            .unsubscribe(["x"]), .acknowledge(1 << 40), .disconnect,
        ]
    }

    private static var causes: [ConnectionFailure.Cause] {
        let none = Errno(rawValue: 0)
        let tls: [TLSFailure] = [
            .certificateNotAccepted("w"), .hostNameMismatch, .clientCertificateRequired,
            .clientCertificateRejected("w"), .notTLS, .cutOff(""), .other("w"),
        ]
        return tls.map { .tls($0) } + [
            .requested, .configuration("c"), .hostNotFound, .noThread(.connectionRefused),
            .unreachable(.connectionRefused), .refused(.notAuthorised), .closedUnanswered,
            .dismissed(.packetTooLarge), .takenOver(clientID: "id"), .lost(nil),
            .lost(.connectionReset), .silent, .connectUnanswered, .unacknowledged,
            .protocolViolation, .invalidPacket, .process("p"), .webServer, .library(-1, none),
        ]
    }

    private static var events: [ConnectionEvent] {
        var abilities = BrokerAbilities(version: .v5)
        abilities.receiveMaximum = 20
        abilities.maximumPacketSize = 1 << 28
        abilities.maximumQuality = .atMostOnce
        abilities.retains = false
        abilities.hasWildcards = false
        abilities.hasSharedSubscriptions = false
        abilities.sessionExpirySeconds = .max
        abilities.keepAliveSeconds = 0
        abilities.assignedClientID = "auto"
        var message = Message(topic: "t/1", payload: Array(0...255), isRetained: true)
        message.userProperties = [UserProperty(name: "n", value: "")]
        return [
            .connected(BrokerAbilities(version: .v311)), .connected(abilities),
            .acknowledged(token: nil, .success), .acknowledged(token: 3, .quotaExceeded),
            .subscribed(filter: "f", .success), .message(message),
            .message(Message(topic: "", payload: [])), .oversized(topic: "o", bytes: .max),
        ]
    }

    private static var reports: [ConnectionReport] {
        var state = ConnectionReport.State()
        state.published = 1 << 50
        state.unacknowledged = 20
        state.isWriting = true
        state.awaitsAcknowledgement = true
        let unanswered: [UnansweredPacket] = [
            .subscription("s"),
            .publication(.init(token: 1, topic: "t", bytes: 2, isRetained: true)),
        ]
        return [
            ConnectionReport(events: []),
            ConnectionReport(state: state, events: events, unanswered: unanswered),
        ]
            + causes.map {
                ConnectionReport(
                    events: [.ended(ConnectionFailure(address: address, cause: $0))])
            }
    }

    @Test("decoding returns the encoded message")
    func roundTrip() throws {
        for request in Self.requests {
            #expect(try ConnectionRequest(decoding: request.encoded) == request)
        }
        for report in Self.reports {
            #expect(try ConnectionReport(decoding: report.encoded, from: Self.address) == report)
        }
    }

    /// The process may be in the hands of a broker.
    @Test("a report with changed bytes, or without its end, gives a report or an error")
    func damaged() {
        for report in Self.reports {
            let bytes = report.encoded
            for index in bytes.indices {
                for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff, bytes[index] ^ 0x10] {
                    var damaged = bytes
                    damaged[index] = value
                    _ = try? ConnectionReport(decoding: damaged, from: Self.address)
                }
                _ = try? ConnectionReport(decoding: Array(bytes[..<index]), from: Self.address)
            }
        }
    }

    @Test("a report of many megabytes is sent in parts", arguments: [false, true])
    func parts(inProperties: Bool) throws {
        let bytes = [UInt8](repeating: 0x61, count: 700_000)
        let events = (0..<30).map { number in
            var message = Message(topic: "\(number)", payload: inProperties ? [] : bytes)
            if inProperties {
                message.userProperties = [
                    UserProperty(name: "a", value: String(decoding: bytes, as: UTF8.self))
                ]
            }
            return ConnectionEvent.message(message)
        }
        let parts = ConnectionReport(events: events).parts
        #expect(parts.flatMap(\.events) == events)
        #expect(parts.allSatisfy { $0.encoded.count <= FrameStream.maxBytes })
        #expect(ConnectionReport(events: []).parts.count == 1)
    }
}
