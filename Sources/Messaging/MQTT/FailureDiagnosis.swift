import Glibc
import Posix

/// What is known when a connection has failed; libmosquitto itself says little more than that it did.
struct FailureDiagnosis {
    /// What the library's last call returned, and the `errno` after it.
    var code: ResultCode
    var errno: Errno
    /// The broker had let us in.
    var wasConnected: Bool
    /// How TLS was to be spoken, if at all.
    var tls: TLSSettings?
    /// The first error of the socket while TCP was being connected, which later calls cover with their own.
    var connectError: Errno?
    /// The library's error lines.
    var complaints: [String] = []
    /// What OpenSSL held against the broker's certificate.
    var certificateObjection: String?

    /// The most telling of it.
    var cause: ConnectionFailure.Cause {
        if let connectError, !wasConnected { return .unreachable(connectError) }
        if code == .lookupFailed { return .hostNotFound }
        if code == .keepAlive { return .silent }
        if let fault = fileFault { return .configuration(fault) }
        if tls != nil, let failure = tlsFailure { return .tls(failure) }
        switch code {
        case .protocolError, .malformedPacket:
            return .protocolViolation
        case .connectionLost, .notConnected, .success:
            return wasConnected ? .lost(knownErrno) : .closedUnanswered
        case .systemError:
            if wasConnected { return .lost(knownErrno) }
            // The peer hung up while we wrote to it.
            let hungUp = errno == .connectionReset || errno == .brokenPipe || errno.rawValue == 0
            return hungUp ? .closedUnanswered : .unreachable(errno)
        default:
            return .library(Int(code.rawValue), errno)
        }
    }

    private var knownErrno: Errno? { errno.rawValue == 0 ? nil : errno }

    /// A file of ours that could not be used: lines that begin with "Error: Unable to load …".
    private var fileFault: String? {
        let lines = complaints.filter {
            $0.contains("Unable to load") || $0.contains("certificate/key are inconsistent")
        }
        guard let line = lines.first else { return nil }
        let prefix = "Error: "
        let text = line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : line
        return openSSLWords.map { "\(text) (\($0))" } ?? text
    }

    private var tlsFailure: TLSFailure? {
        if complaints.contains(where: { $0.contains("host name verification failed") }) {
            return .hostNameMismatch
        }
        if let certificateObjection { return .certificateNotAccepted(certificateObjection) }
        guard let words = openSSLWords else {
            // libmosquitto turns an alert that it reads while writing into EPROTO, without a word.
            let isTLS = code == .tls || code == .tlsHandshake || errno == .protocolError
            return isTLS && !wasConnected ? .cutOff("") : nil
        }
        if words.contains("alert certificate required") { return .clientCertificateRequired }
        // TLS 1.2's only word for it; other reasons for it are possible, but rare.
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
        guard let line = complaints.first(where: { $0.hasPrefix("OpenSSL Error") }) else {
            return nil
        }
        return line.split(separator: ":").last.map(String.init)
    }
}

extension Errno {
    static let protocolError = Errno(rawValue: EPROTO)

    /// Whether it tells that no TCP connection came about, rather than that one is still being made.
    var preventsConnection: Bool {
        [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, EHOSTDOWN, ENETDOWN, EACCES, EPERM]
            .contains(rawValue)
    }
}
