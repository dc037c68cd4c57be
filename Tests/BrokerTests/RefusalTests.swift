import MQTT
import Posix
import TestSupport
import Testing

extension BrokerTests {
    @Suite("connection failures")
    struct RefusalTests {
        @Test(
            "a wrong password gives its own error, and the right one connects",
            arguments: [ProtocolVersion.v5, .v311])
        func password(version: ProtocolVersion) throws {
            var options = Broker.Options()
            options.users = ["entry-1": "right"]
            let broker = try Broker(options)
            var settings = broker.settings()
            settings.username = "entry-1"
            settings.password = "wrong"
            let refused = try #require(try failure(of: settings, version: version))
            guard case .refused(let code) = refused.cause else {
                throw TestFailure("\(refused)")
            }
            // Mosquitto says "not authorised" for both.
            #expect([.badUserNameOrPassword, .notAuthorised].contains(code))
            #expect("\(refused)".contains("check the user name"))
            settings.password = "right"
            #expect(try failure(of: settings, version: version) == nil)
        }

        @Test("a refused TCP connection has its own error")
        func nobodyListens() throws {
            let settings = ConnectionSettings(host: "127.0.0.1", port: try Ports.free())
            let failed = try #require(try failure(of: settings))
            #expect(failed.cause == .unreachable(.connectionRefused))
            #expect("\(failed)".hasPrefix("can't reach broker 127.0.0.1:\(settings.port): "))
        }

        @Test("a refused TCP connection has its own error with TLS too")
        func nobodyListensWithTLS() throws {
            let folder = try TemporaryFolder()
            let authority = try Certificates(in: folder)
            let settings = ConnectionSettings(
                host: "127.0.0.1", port: try Ports.free(),
                tls: TLSSettings(caFile: authority.caFile))
            #expect(try failure(of: settings)?.cause == .unreachable(.connectionRefused))
        }

        @Test("an unknown host name has its own error")
        func noSuchHost() throws {
            let settings = ConnectionSettings(host: "broker.invalid", port: 1883)
            let failed = try #require(try failure(of: settings))
            #expect(failed.cause == .hostNotFound)
        }

        @Test("a suspended broker fails after the answer timeout")
        func silence() throws {
            let broker = try FakeBroker { _ in .silence }
            var settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            settings.answerTimeout = .seconds(1)
            #expect(try failure(of: settings)?.cause == .connectUnanswered)
        }

        private static let badRequest = Array(
            ("HTTP/1.0 400 Bad Request\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
                + "<html><title>400 Bad Request</title>The request line is invalid.</html>\r\n")
                .utf8)

        @Test("a web server that waits for the end of a line is recognised within three seconds")
        func webServer() throws {
            let server = try FakeBroker(foreign: Self.badRequest) { _ in .silence }
            let settings = ConnectionSettings(host: "127.0.0.1", port: server.port)
            #expect(try failure(of: settings, within: 3)?.cause == .webServer)
        }

        @Test("a web server that answers CONNECT with an error is recognised")
        func hastyWebServer() throws {
            let server = try FakeBroker(foreign: Self.badRequest) { _ in
                .answerAndClose(Self.badRequest)
            }
            let settings = ConnectionSettings(host: "127.0.0.1", port: server.port)
            #expect(try failure(of: settings, within: 3)?.cause == .webServer)
        }

        @Test("the limit for CONNACK begins with the TCP connection")
        func connackLimit() throws {
            let broker = try FakeBroker { _ in .silence }
            var settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            settings.connackTimeout = .seconds(1)
            #expect(try failure(of: settings, within: 5)?.cause == .connectUnanswered)
        }

        @Test("a port without an answer to the TLS handshake is silent, whatever its version")
        func silentHandshake() throws {
            let folder = try TemporaryFolder()
            let authority = try Certificates(in: folder)
            let broker = try FakeBroker { _ in .silence }
            var settings = ConnectionSettings(
                host: "127.0.0.1", port: broker.port, tls: TLSSettings(caFile: authority.caFile))
            settings.answerTimeout = .seconds(1)
            settings.connackTimeout = .milliseconds(1)
            #expect(try failure(of: settings)?.cause == .silent)
        }

        @Test(
            "a server that is no broker has its own error",
            arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\0\0\0"])
        func notABroker(answer: String) throws {
            let broker = try FakeBroker { _ in .answerAndClose(answer.bytes) }
            let settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            let failed = try #require(try failure(of: settings))
            #expect([.closedUnanswered, .protocolViolation].contains(failed.cause), "\(failed)")
            #expect("\(failed)".contains("does that port speak MQTT"))
        }

        @Test("the broker's reason for a disconnection is reported")
        func dismissed() throws {
            // CONNACK of success, then DISCONNECT, session taken over (MQTT 5, sections 3.2 and 3.14).
            let broker = try FakeBroker { _ in
                .answerAndClose([0x20, 0x03, 0x00, 0x00, 0x00, 0xE0, 0x02, 0x8E, 0x00])
            }
            let settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            let driver = ConnectionDriver(try Connection(to: settings, version: .v5))
            let ended = try driver.end()
            guard case .connected = driver.events.first else { throw TestFailure("\(ended)") }
            #expect(ended.cause == .takenOver(clientID: settings.clientID))
            #expect("\(ended)".contains("another client uses the same client identifier"))
        }

        @Test("a second client with the same identifier disconnects the first")
        func takenOver() throws {
            let broker = try Broker()
            let settings = broker.settings()
            let first = try ConnectionDriver(to: settings)
            let second = try ConnectionDriver(to: settings)
            let ended = try first.end()
            // Mosquitto 2.0.11 just closes the connection, 2.0.21 says why.
            let causes: [ConnectionFailure.Cause] = [
                .takenOver(clientID: settings.clientID), .lost(nil),
            ]
            #expect(causes.contains(ended.cause), "\(ended)")
            #expect(second.connection.isConnected)
        }
    }
}
