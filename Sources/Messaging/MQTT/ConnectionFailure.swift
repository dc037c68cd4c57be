import Posix

/// Why a connection ended, or why an attempt failed.
package struct ConnectionFailure: Error, Equatable, Sendable {
    package enum Cause: Equatable, Sendable {
        /// The client disconnected.
        case requested
        /// The settings can't work with any broker; with the fault as text.
        case configuration(String)
        case hostNotFound
        /// The system has no thread for the name lookup.
        case noThread(Errno)
        /// TCP can't connect.
        case unreachable(Errno)
        case tls(TLSFailure)
        /// The broker refused the connection (CONNACK).
        case refused(ReasonCode)
        /// The broker closed the connection without an answer.
        case closedUnanswered
        /// The broker ended the connection and gave a reason (DISCONNECT, MQTT 5 only).
        case dismissed(ReasonCode)
        /// Another client connected with our client identifier, and the broker ended our connection.
        case takenOver(clientID: String)
        /// The connection broke.
        case lost(Errno?)
        /// No TCP connection, no TLS handshake, or no answer to a ping in time.
        case silent
        /// TCP, and TLS, are connected, but the broker did not answer CONNECT in time.
        case connectUnanswered
        /// The broker answers pings, but acknowledged no publication for a keep-alive.
        case unacknowledged
        /// The broker answered CONNECT with bytes that are not MQTT of this version.
        case protocolViolation
        /// The broker sent a packet that broke the library, or that no connected broker may send.
        case invalidPacket
        /// The process that talks to the broker could not start, or ended; with the cause as text.
        case process(String)
        /// The server at that port speaks HTTP.
        case webServer
        /// Any other failure, with the library's result code.
        case library(Int, Errno)
    }

    /// The broker.
    package let address: String
    package let cause: Cause

    package init(address: String, cause: Cause) {
        self.address = address
        self.cause = cause
    }

    /// Whether only a change of the settings helps.
    package var isConfiguration: Bool {
        if case .configuration = cause { true } else { false }
    }
}

/// Why the TLS handshake failed, as far as the library reports it.
package enum TLSFailure: Equatable, Sendable {
    /// With OpenSSL's text.
    case certificateNotAccepted(String)
    case hostNameMismatch
    /// The broker requires a client certificate.
    case clientCertificateRequired
    /// The broker rejected our client certificate; with the text of its alert.
    case clientCertificateRejected(String)
    /// The server at that port does not speak TLS 1.2 or later.
    case notTLS
    /// The peer closed the connection; with OpenSSL's text, if any.
    case cutOff(String)
    /// With OpenSSL's text.
    case other(String)
}

extension ConnectionFailure.Cause {
    /// Whether another address of the same host may work.
    var mayDependOnAddress: Bool {
        switch self {
        case .unreachable, .silent: true
        default: false
        }
    }
}

extension ConnectionFailure: CustomStringConvertible {
    /// One sentence: the broker, what happened, and what to do about it.
    package var description: String {
        switch cause {
        case .requested: "disconnected from broker \(address)"
        case .configuration(let fault): "can't use broker \(address): \(fault)"
        case .hostNotFound:
            "can't find broker \(address): the name does not resolve; check the name and the DNS"
        case .noThread(let error):
            "can't find broker \(address): no thread for the name lookup: \(error)"
        case .unreachable(let error): "can't reach broker \(address): \(error)" + hint(for: error)
        case .tls(let failure): "no TLS with broker \(address): \(failure)"
        case .refused(let code): "broker \(address) refused: \(code)" + hint(for: code)
        case .closedUnanswered:
            "broker \(address) closed the connection without an answer;"
                + " does that port speak MQTT, and without TLS?"
        case .dismissed(let code):
            "broker \(address) ended the connection: \(code)" + hint(for: code)
        case .takenOver(let clientID):
            "broker \(address) ended the connection: another client uses the same client identifier"
                + (clientID.isEmpty ? "" : ", \(clientID)")
        case .lost(let error):
            "lost the connection to broker \(address)" + (error.map { ": \($0)" } ?? "")
        case .silent:
            "broker \(address) does not answer; is it stopped, or is something in between dropping packets?"
        case .connectUnanswered:
            "broker \(address) accepts the connection but does not answer CONNECT;"
                + " is it stopped, or does that port speak another protocol?"
        case .unacknowledged:
            "broker \(address) does not acknowledge messages: connecting again, messages are repeated"
        case .protocolViolation:
            "connection to broker \(address) ended: the broker sent an invalid packet;"
                + " does that port speak MQTT, and without TLS?"
        case .invalidPacket:
            "connection to broker \(address) ended: the broker sent an invalid packet"
        case .process(let cause):
            "the process for the connection to broker \(address) ended: \(cause)"
        case .webServer:
            "\(address) is a web server (HTTP), not an MQTT broker; correct the host or the port"
        case .library(let code, let error):
            "connection to broker \(address) failed: \(ResultCode(rawValue: CInt(clamping: code)))"
                + (error.rawValue == 0 ? "" : " (\(error))")
        }
    }

    private func hint(for error: Errno) -> String {
        error == .connectionRefused ? "; is it running, and is the port right?" : ""
    }

    private func hint(for code: ReasonCode) -> String {
        switch code {
        case .badUserNameOrPassword: "; check the user name and the password"
        case .notAuthorised:
            "; check the user name, the password, and what the broker allows them"
        case .clientIDNotValid: "; the broker wants another client identifier"
        case .unsupportedProtocolVersion: "; try another protocol version"
        default: ""
        }
    }
}

extension TLSFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .certificateNotAccepted(let words):
            "its certificate is not accepted: \(words); check "
                + (words.contains("expired") || words.contains("not yet valid")
                    ? "its dates and this machine's clock" : "the CA file")
        case .hostNameMismatch:
            "its certificate is for another host name; use the name that the certificate has"
        case .clientCertificateRequired:
            "it wants a client certificate; configure one, and its key"
        case .clientCertificateRejected(let words):
            "it does not accept our client certificate (\(words)); check the certificate and its key"
        case .notTLS: "what answers there does not speak TLS 1.2 or later; check the port"
        case .cutOff(let words):
            "the handshake was cut off" + (words.isEmpty ? "" : " (\(words))")
                + "; check the port, and whether the broker wants a client certificate, or another one"
        case .other(let words): words
        }
    }
}
