import MQTT
import TestSupport
import Testing

extension BrokerTests {
    @Suite("TLS")
    struct TLSTests {
        private let folder: TemporaryFolder
        private let authority: Certificates
        private let names = ["DNS:localhost", "IP:127.0.0.1"]

        init() throws {
            folder = try TemporaryFolder()
            authority = try Certificates(in: folder)
        }

        private func broker(
            _ server: Certificates.Pair, clientCAFile: String? = nil, lines: [String] = []
        ) throws -> Broker {
            var options = Broker.Options()
            options.tls = Broker.TLS(server: server, clientCAFile: clientCAFile)
            options.lines = lines
            return try Broker(options, folder: folder)
        }

        private func client(of authority: Certificates) throws -> TLSSettings.ClientCertificate {
            let pair = try authority.client()
            return TLSSettings.ClientCertificate(certFile: pair.certFile, keyFile: pair.keyFile)
        }

        @Test(
            "a broker with a trusted certificate accepts messages, by name and by address",
            arguments: ["localhost", "127.0.0.1"])
        func trusted(host: String) throws {
            let broker = try broker(authority.server(names))
            var settings = broker.settings(tls: TLSSettings(caFile: authority.caFile))
            settings.host = host
            let driver = try ConnectionDriver(to: settings)
            try driver.connection.publish(Publication(topic: "t", payload: "x".bytes), token: 1)
            #expect(try !driver.answer(to: 1).isFailure)
        }

        @Test(
            "a trusted client certificate connects",
            arguments: [
                ProtocolVersion.v5, .v311,
            ])
        func clientCertificate(version: ProtocolVersion) throws {
            let broker = try broker(
                authority.server(names), clientCAFile: authority.caFile)
            let tls = TLSSettings(caFile: authority.caFile, client: try client(of: authority))
            #expect(try failure(of: broker.settings(tls: tls), version: version) == nil)
        }

        @Test("a missing client certificate is an error of the certificate or of the handshake")
        func missingClientCertificate() throws {
            let broker = try broker(
                authority.server(names), clientCAFile: authority.caFile)
            let tls = TLSSettings(caFile: authority.caFile)
            let failed = try #require(try failure(of: broker.settings(tls: tls)))
            #expect("\(failed)".contains("client certificate"), "\(failed)")
            #expect(!failed.isConfiguration)
        }

        @Test("an untrusted client certificate is an error of the certificate or of the handshake")
        func foreignClientCertificate() throws {
            let broker = try broker(
                authority.server(names), clientCAFile: authority.caFile)
            let others = try Certificates(in: folder, name: "others")
            let tls = TLSSettings(caFile: authority.caFile, client: try client(of: others))
            let failed = try #require(try failure(of: broker.settings(tls: tls)))
            #expect("\(failed)".contains("client certificate"), "\(failed)")
        }

        @Test("a broker certificate of an unknown authority is refused")
        func untrusted() throws {
            let others = try Certificates(in: folder, name: "others")
            let broker = try broker(authority.server(names))
            let tls = TLSSettings(caFile: others.caFile)
            let failed = try #require(try failure(of: broker.settings(tls: tls)))
            guard case .tls(.certificateNotAccepted(let words)) = failed.cause else {
                throw TestFailure("\(failed)")
            }
            #expect(words.contains("certificate"))
            #expect("\(failed)".contains("check the CA file"))
            #expect(!failed.isConfiguration)
        }

        @Test("without a CA file, the system's authorities apply")
        func systemAuthorities() throws {
            let broker = try broker(authority.server(names))
            let failed = try #require(try failure(of: broker.settings(tls: TLSSettings())))
            guard case .tls(.certificateNotAccepted) = failed.cause else {
                throw TestFailure("\(failed)")
            }
        }

        @Test("a certificate for another name has its own error")
        func wrongName() throws {
            let broker = try broker(authority.server(["DNS:broker.example"]))
            let tls = TLSSettings(caFile: authority.caFile)
            #expect(try failure(of: broker.settings(tls: tls))?.cause == .tls(.hostNameMismatch))
        }

        @Test("an expired certificate has its own error")
        func expired() throws {
            let broker = try broker(authority.expiredServer(names))
            let tls = TLSSettings(caFile: authority.caFile)
            let failed = try #require(try failure(of: broker.settings(tls: tls)))
            #expect("\(failed)".contains("expired; check its dates"), "\(failed)")
        }

        @Test("TLS to a port without TLS fails")
        func plainPort() throws {
            let broker = try Broker()
            let tls = TLSSettings(caFile: authority.caFile)
            let failed = try #require(try failure(of: broker.settings(tls: tls)))
            guard case .tls = failed.cause else { throw TestFailure("\(failed)") }
        }

        @Test("no TLS to a TLS port is an unanswered connection")
        func tlsPort() throws {
            let broker = try broker(authority.server(names))
            #expect(try failure(of: broker.settings())?.cause == .closedUnanswered)
        }

        @Test("a broker with TLS 1.1 or less is refused")
        func oldTLS() throws {
            // A server's answer to our hello: alert, level 2 fatal, 70 protocol version (RFC 5246, section 7.2).
            let broker = try FakeBroker { _ in
                .answerAndClose([0x15, 0x03, 0x02, 0x00, 0x02, 0x02, 0x46])
            }
            let settings = ConnectionSettings(
                host: "127.0.0.1", port: broker.port, tls: TLSSettings(caFile: authority.caFile))
            #expect(try failure(of: settings)?.cause == .tls(.notTLS))
        }

        @Test("an unusable file is a configuration error with its path")
        func files() throws {
            let broker = try broker(authority.server(names))
            let good = try client(of: authority)
            let missing = folder.file("missing.pem")
            let empty = try folder.write("", to: "empty.pem")
            let mixed = TLSSettings.ClientCertificate(
                certFile: good.certFile, keyFile: try client(of: authority).keyFile)
            let cases: [(TLSSettings, String)] = [
                (TLSSettings(caFile: missing), missing),
                (TLSSettings(caFile: empty), empty),
                (TLSSettings(caFile: folder.path), folder.path),
                (TLSSettings(caFile: authority.caFile, client: mixed), mixed.keyFile),
                (
                    TLSSettings(
                        caFile: authority.caFile,
                        client: .init(certFile: good.certFile, keyFile: missing)), missing
                ),
            ]
            for (tls, name) in cases {
                let failed = try #require(try failure(of: broker.settings(tls: tls)))
                #expect(failed.isConfiguration, "\(failed)")
                #expect("\(failed)".contains(name), "\(failed)")
            }
        }
    }
}
