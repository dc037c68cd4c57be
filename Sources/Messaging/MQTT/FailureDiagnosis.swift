import Glibc
import Posix
import Primitives

/// Finds the cause of a failed connection. libmosquitto itself gives little more than a result code.
struct FailureDiagnosis {
    /// The result of the library's last call, and the `errno` after it.
    var code: ResultCode
    var errno: Errno
    /// Whether the broker had accepted the connection.
    var wasConnected: Bool
    /// The TLS settings; `nil` without TLS.
    var tls: TLSSettings?
    /// The socket's first error during the TCP connection. Later calls replace it with their own.
    var connectError: Errno?
    /// The library's error lines.
    var errorLines: [String] = []
    /// Why OpenSSL rejects the broker's certificate.
    var certificateFault: String?

    /// The most specific cause.
    var cause: ConnectionFailure.Cause {
        if let connectError, !wasConnected { return .unreachable(connectError) }
        if code == .lookupFailed { return .hostNotFound }
        if code == .keepAlive { return .silent }
        if let fault = fileFault { return .configuration(fault) }
        if tls != nil, let failure = tlsFailure { return .tls(failure) }
        switch code {
        case .protocolError, .malformedPacket:
            return wasConnected ? .invalidPacket : .protocolViolation
        case .connectionLost, .notConnected, .success:
            return wasConnected ? .lost(knownErrno) : .closedUnanswered
        case .systemError:
            if wasConnected { return .lost(knownErrno) }
            // The peer closed the connection during a write.
            let hungUp = errno == .connectionReset || errno == .brokenPipe || errno.rawValue == 0
            return hungUp ? .closedUnanswered : .unreachable(errno)
        default:
            return .library(Int(code.rawValue), errno)
        }
    }

    private var knownErrno: Errno? { errno.rawValue == 0 ? nil : errno }

    /// A local file that can't be used: lines that begin with "Error: Unable to load …".
    private var fileFault: String? {
        let lines = errorLines.filter {
            $0.contains("Unable to load") || $0.contains("certificate/key are inconsistent")
        }
        guard let line = lines.first else { return nil }
        let prefix = "Error: "
        let text = line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : line
        return openSSLWords.map { "\(text) (\($0))" } ?? text
    }

    private var tlsFailure: TLSFailure? {
        if errorLines.contains(where: { $0.contains("host name verification failed") }) {
            return .hostNameMismatch
        }
        if let certificateFault { return .certificateNotAccepted(certificateFault) }
        guard let words = openSSLWords else {
            // libmosquitto returns EPROTO for an alert that it reads during a write, and logs nothing.
            let isTLS = code == .tls || code == .tlsHandshake || errno == .protocolError
            return isTLS && !wasConnected ? .cutOff("") : nil
        }
        if words.contains("alert certificate required") { return .clientCertificateRequired }
        // TLS 1.2 has no other alert for a missing certificate. Other causes are rare.
        if words.contains("alert handshake failure"), tls?.client == nil {
            return .clientCertificateRequired
        }
        if words.contains("wrong version number") || words.contains("alert protocol version")
            || words.contains("unsupported protocol") || words.contains("packet length too long")
        {
            return .notTLS
        }
        if words.contains("unexpected eof") || words.contains("reset by peer") {
            return wasConnected ? nil : .cutOff(words)
        }
        if words.contains("alert"), tls?.client != nil { return .clientCertificateRejected(words) }
        return wasConnected ? nil : .other(words)
    }

    /// The last part of OpenSSL's first line: "OpenSSL Error[0]: error:0A000418:SSL routines::tlsv1 alert unknown ca".
    private var openSSLWords: String? {
        guard let line = errorLines.first(where: { $0.hasPrefix("OpenSSL Error") }) else {
            return nil
        }
        return line.split(separator: ":").last.map(String.init)
    }
}

extension Errno {
    static let protocolError = Errno(rawValue: EPROTO)

    /// Whether the error means that TCP can't connect, not that the connection is in progress.
    var preventsConnection: Bool {
        [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, EHOSTDOWN, ENETDOWN, EACCES, EPERM]
            .contains(rawValue)
    }
}

/// Asks a server that does not speak MQTT whether it speaks HTTP.
///
/// A web server waits for the end of a line, which CONNECT does not have. Its own request gets an answer (RFC 9112).
enum HTTPProbe {
    /// A server that leaves CONNECT unanswered for this time is asked.
    static let patience = Duration.milliseconds(900)
    private static let time = Duration.seconds(1)

    static func isHTTP(_ peer: Sockets.ResolvedAddress, _ settings: ConnectionSettings) -> Bool {
        let deadline = Instant.now + time
        guard let socket = try? Sockets.connect(toAnyOf: [peer]),
            let stream = stream(socket, settings, until: deadline),
            stream.write(Array("HEAD / HTTP/1.0\r\n\r\n".utf8), until: deadline)
        else { return false }
        let start = Array("HTTP/".utf8)
        var answer: [UInt8] = []
        while answer.count < start.count, let more = stream.read(until: deadline) { answer += more }
        return answer.starts(with: start)
    }

    private static func stream(
        _ socket: consuming Descriptor, _ settings: ConnectionSettings, until deadline: Instant
    ) -> (any WireStream)? {
        guard let tls = settings.tls else { return PlainStream(socket) }
        let stream = try? TLSStream(socket, to: settings.host, tls, until: deadline)
        return stream?.fault == nil ? stream : nil
    }
}
