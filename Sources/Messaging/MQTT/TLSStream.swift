import CSSL
import Posix
import Primitives

/// A TLS connection to a broker, and the certificates of both sides. Only this file calls libssl (ssl(7)).
///
/// libmosquitto makes the connections for messages; this one examines a broker. The handshake continues with any
/// certificate, so that a caller can read all of them. A caller must read `fault` before it sends more than the
/// handshake.
package final class TLSStream: WireStream {
    /// Why there is no TLS.
    package enum Failure: Error, Equatable {
        /// One of our own files can't be used: which, why, and what to do, in a sentence.
        case file(String)
        /// In OpenSSL's words; empty when the peer hung up or was silent.
        case handshake(String)
    }

    /// The library's name and version: `OpenSSL 3.5.1 1 Jul 2025`.
    static var libraryVersion: String {
        OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? "OpenSSL"
    }

    private let context: OpaquePointer
    private let connection: OpaquePointer
    private let socket: Descriptor
    private let isAddress: Bool

    /// Shakes hands over a connected socket, until `deadline` on the boot clock.
    package init(
        _ socket: consuming Descriptor, to host: String, _ settings: TLSSettings,
        until deadline: Instant
    ) throws(Failure) {
        let context = try Self.context(settings)
        guard let connection = SSL_new(context) else {
            SSL_CTX_free(context)
            throw .handshake(Self.words)
        }
        self.socket = socket
        self.context = context
        self.connection = connection
        isAddress = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), host) == 1
        if !isAddress {
            SSL_set1_host(connection, host)
            sightline_server_name(connection, host)
        }
        SSL_set_fd(connection, self.socket.rawValue)
        guard retry(until: deadline, { SSL_connect(connection) }) > 0 else {
            throw .handshake(Self.words)
        }
    }

    deinit {
        SSL_free(connection)
        SSL_CTX_free(context)
    }

    /// Loads the files of the settings as a connection does.
    package static func check(_ settings: TLSSettings) throws(Failure) {
        // What OpenSSL has left to say would be taken for something about libmosquitto's connections.
        defer { ERR_clear_error() }
        SSL_CTX_free(try context(settings))
    }

    /// The days left of our own certificate, which is negative once it has expired; `nil` without one.
    package static func daysLeft(of settings: TLSSettings) throws(Failure) -> Int? {
        let context = try context(settings)
        defer { SSL_CTX_free(context) }
        return SSL_CTX_get0_certificate(context).flatMap { daysLeft($0) }
    }

    /// When our own certificate expires; `nil` without a usable one.
    package static func expiry(of settings: TLSSettings) -> UnixTime? {
        // As in `check`.
        defer { ERR_clear_error() }
        guard let context = try? context(settings) else { return nil }
        defer { SSL_CTX_free(context) }
        guard let certificate = SSL_CTX_get0_certificate(context),
            let epoch = ASN1_TIME_set(nil, 0)
        else { return nil }
        defer { ASN1_STRING_free(epoch) }
        return difference(from: epoch, to: X509_get0_notAfter(certificate)).map {
            UnixTime(milliseconds: (Int64($0.days) * 86_400 + Int64($0.seconds)) * 1000)
        }
    }

    /// Why the broker's certificate is not trusted; `nil` if it is trusted.
    package var fault: TLSFailure? {
        let code = SSL_get_verify_result(connection)
        switch CInt(clamping: code) {
        case X509_V_OK: return nil
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return .hostNameMismatch
        default:
            return .certificateNotAccepted(
                X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "")
        }
    }

    /// The days left of the broker's certificate, and of those above it, the least; `nil` when it shows none.
    package var daysLeft: Int? {
        var days: [Int] = []
        for index in 0..<sightline_chain_count(connection) {
            if let certificate = sightline_chain_certificate(connection, index),
                let left = Self.daysLeft(certificate)
            {
                days.append(left)
            }
        }
        return days.min() ?? sightline_peer(connection).flatMap { Self.daysLeft($0) }
    }

    package func write(_ bytes: [UInt8], until deadline: Instant) -> Bool {
        let count = CInt(clamping: bytes.count)
        return retry(until: deadline) { SSL_write(connection, bytes, count) } == count
    }

    package func read(until deadline: Instant) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let size = CInt(buffer.count)
        let count = retry(until: deadline) { SSL_read(connection, &buffer, size) }
        return count > 0 ? Array(buffer.prefix(Int(count))) : nil
    }

    /// Repeats the call until it succeeds, fails, or exceeds the time limit.
    private func retry(until deadline: Instant, _ call: () -> CInt) -> CInt {
        while true {
            ERR_clear_error()
            let result = call()
            guard result <= 0 else { return result }
            let events: Poll.Events
            switch SSL_get_error(connection, result) {
            case SSL_ERROR_WANT_READ: events = .input
            case SSL_ERROR_WANT_WRITE: events = .output
            default: return result
            }
            if Waiting.isOver(socket.rawValue, events, until: deadline) { return result }
        }
    }

    private static func context(_ settings: TLSSettings) throws(Failure) -> OpaquePointer {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw .handshake(words) }
        do throws(Failure) {
            try load(settings, into: context)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        return context
    }

    private static func load(
        _ settings: TLSSettings, into context: OpaquePointer
    ) throws(Failure) {
        sightline_least_version(context)
        // As in `Mosquitto.setTLS`.
        let folder = settings.caFile == nil ? "/etc/ssl/certs" : nil
        guard SSL_CTX_load_verify_locations(context, settings.caFile, folder) == 1 else {
            throw unusable(
                settings.caFile ?? "/etc/ssl/certs",
                "put the certificates to trust there, as PEM")
        }
        guard let client = settings.client else { return }
        // A key with a passphrase is an error. Without this callback, OpenSSL prompts on the terminal.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
        guard SSL_CTX_use_certificate_chain_file(context, client.certFile) == 1 else {
            throw unusable(client.certFile, "put our certificate there, as PEM")
        }
        // The second call notices a key of another kind than the certificate's.
        guard SSL_CTX_use_PrivateKey_file(context, client.keyFile, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(context) == 1
        else {
            throw unusable(
                client.keyFile,
                "put the key of \(client.certFile) there, as PEM, without a passphrase")
        }
    }

    private static func unusable(_ path: String, _ remedy: String) -> Failure {
        .file("\(path) can't be used (\(words)): \(remedy)")
    }

    private static func daysLeft(_ certificate: OpaquePointer) -> Int? {
        // Both have the sign of the difference: an hour ago is not today.
        difference(from: nil, to: X509_get0_notAfter(certificate)).map {
            $0.seconds < 0 ? Int($0.days) - 1 : Int($0.days)
        }
    }

    /// The time between two dates; `nil` for `from` is the present.
    private static func difference(
        from: UnsafePointer<ASN1_TIME>?, to: UnsafePointer<ASN1_TIME>?
    ) -> (days: CInt, seconds: CInt)? {
        var days: CInt = 0
        var seconds: CInt = 0
        return ASN1_TIME_diff(&days, &seconds, from, to) == 1 ? (days, seconds) : nil
    }

    /// OpenSSL's words for its first error; empty when it has none.
    private static var words: String {
        let code = ERR_get_error()
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? ""
    }
}
