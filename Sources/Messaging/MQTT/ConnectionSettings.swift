import Posix

/// The version of the protocol that a connection speaks.
package enum ProtocolVersion: Sendable, CustomStringConvertible {
    case v5
    case v311

    package var description: String { self == .v5 ? "5" : "3.1.1" }
}

/// The address of a broker, and the credentials for it.
package struct ConnectionSettings: Equatable, Sendable {
    package var host: String
    package var port: UInt16
    /// `nil` for plain TCP.
    package var tls: TLSSettings?
    package var username: String?
    /// Sent only together with a user name.
    package var password: String?
    /// If empty, the library or the broker chooses one.
    package var clientID: String
    /// After this time without a packet the client sends a ping; 5…65535.
    package var keepAliveSeconds: Int
    /// The time limit for the broker's answer to a connection attempt.
    package var answerTimeout: Duration
    /// The time limit for CONNACK after TCP, and TLS, are connected; `nil` for the rest of `answerTimeout`.
    package var connackTimeout: Duration?
    /// Whether a server that does not speak MQTT is asked whether it speaks HTTP. This may block for two seconds.
    package var asksForHTTP = true
    /// The largest payload in bytes. Larger messages are reported without their payload.
    package var maximumPayload: Int
    /// Whether a process of its own, which has no rights, talks to the broker: `IsolatedConnection`.
    package var isIsolated = false
    /// `nil` for a clean start with immediate acknowledgements.
    package var reading: DurableReading?
    /// An MQTT 5 broker discards larger packets: no report, but also no memory for them.
    var maximumPacket: UInt32 { UInt32(clamping: max(0, min(maximumPayload, 1 << 30)) + (1 << 20)) }

    package init(
        host: String, port: UInt16, tls: TLSSettings? = nil, username: String? = nil,
        password: String? = nil, clientID: String = "", keepAliveSeconds: Int = 30,
        answerTimeout: Duration = .seconds(20), maximumPayload: Int = 1 << 20
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.username = username
        self.password = password
        self.clientID = clientID
        self.keepAliveSeconds = keepAliveSeconds
        self.answerTimeout = answerTimeout
        self.maximumPayload = maximumPayload
    }

    /// The keep-alive within the library's limits.
    var usedKeepAliveSeconds: Int { max(5, min(65535, keepAliveSeconds)) }

    /// The broker's address in messages.
    package var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Reading without loss: the broker keeps the session, and messages are acknowledged when their reader has stored them.
package struct DurableReading: Equatable, Sendable {
    /// How long the broker keeps messages for an absent reader. Only MQTT 5 carries it.
    package var expirySeconds: UInt32
    /// The unacknowledged messages that the broker sends at most. Only MQTT 5 carries it.
    package var receiveMaximum: UInt16
    /// After this number of messages, none is read before their acknowledgement: they are stored together.
    package var batch: UInt16

    /// - Parameter batch: `nil` for `receiveMaximum`.
    package init(expirySeconds: UInt32, receiveMaximum: UInt16, batch: UInt16? = nil) {
        self.expirySeconds = expirySeconds
        self.receiveMaximum = receiveMaximum
        self.batch = batch ?? receiveMaximum
    }
}

/// The trusted certificates and the client's own: TLS 1.2 or later, with the broker's certificate and host name verified.
package struct TLSSettings: Equatable, Sendable {
    /// A client's certificate and its private key, PEM files both; the key without a passphrase.
    package struct ClientCertificate: Equatable, Sendable {
        package var certFile: String
        package var keyFile: String

        package init(certFile: String, keyFile: String) {
            self.certFile = certFile
            self.keyFile = keyFile
        }
    }

    /// The trusted certificates as a PEM file; `nil` for those that the system trusts.
    package var caFile: String?
    package var client: ClientCertificate?

    package init(caFile: String? = nil, client: ClientCertificate? = nil) {
        self.caFile = caFile
        self.client = client
    }
}

extension ConnectionSettings {
    /// A failure of the settings themselves.
    func fault(_ words: String) -> ConnectionFailure {
        ConnectionFailure(address: address, cause: .configuration(words))
    }

    /// Refuses what the library would refuse without a reason, or cut short at a NUL; loads the certificates and the key.
    package func check() throws(ConnectionFailure) {
        guard !host.isEmpty, port != 0 else { throw fault("host and port must be given") }
        for (name, value) in [
            ("host", host), ("client identifier", clientID), ("user name", username ?? ""),
            ("password", password ?? ""), ("CA file's name", tls?.caFile ?? ""),
            ("certificate file's name", tls?.client?.certFile ?? ""),
            ("key file's name", tls?.client?.keyFile ?? ""),
        ] where value.utf8.contains(0) {
            throw fault("the \(name) contains a NUL character")
        }
        guard username != nil || password == nil else {
            throw fault("a password needs a user name")
        }
        guard let tls else { return }
        try checkFiles(of: tls)
        do throws(TLSStream.Failure) { try TLSStream.check(tls) } catch {
            switch error {
            case .file(let sentence): throw fault(sentence)
            case .handshake(let words):
                throw ConnectionFailure(address: address, cause: .tls(.other(words)))
            }
        }
    }

    /// Names the file that can't be read, which the library does not.
    private func checkFiles(of tls: TLSSettings) throws(ConnectionFailure) {
        let files = [
            ("CA file", tls.caFile), ("client certificate", tls.client?.certFile),
            ("client key", tls.client?.keyFile),
        ]
        for (name, path) in files {
            guard let path else { continue }
            do throws(Errno) {
                _ = try MappedFile(path: path)
            } catch {
                throw fault("can't read the \(name) \(path): \(error)")
            }
        }
    }
}

extension ConnectionSettings {
    /// The same with copies of the files in the memory of this process, until it ends: it can then give up the right to read them.
    func withFilesInMemory() throws(ConnectionFailure) -> ConnectionSettings {
        // The sentences about faults have the files' own names.
        try check()
        var copy = self
        copy.tls?.caFile = tls?.caFile.map(Self.inMemory)
        copy.tls?.client = tls?.client.map {
            .init(certFile: Self.inMemory($0.certFile), keyFile: Self.inMemory($0.keyFile))
        }
        return copy
    }

    /// - Returns: the name of the copy; the file's own name if there can be none.
    private static func inMemory(_ path: String) -> String {
        do throws(Errno) {
            let copy = try Descriptor.inMemory(MappedFile(path: path).withBytes(Array.init))
            return "/proc/self/fd/\(copy.leaveOpen())"
        } catch {
            return path
        }
    }

    /// The files that each connection reads.
    package var files: [String] {
        [tls?.caFile, tls?.client?.certFile, tls?.client?.keyFile].compactMap(\.self)
    }

    /// Why no attempt can succeed, such as a certificate that can't be loaded.
    package var fault: ConnectionFailure? {
        do throws(ConnectionFailure) {
            try check()
            return nil
        } catch {
            return error
        }
    }
}
