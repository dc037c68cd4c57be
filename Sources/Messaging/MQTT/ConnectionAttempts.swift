import Posix
import Primitives

/// The attempts of a connection: one for each kind of address of the broker, until one succeeds.
///
/// Each attempt has a new client: the library would keep messages and state of the attempt before.
final class ConnectionAttempts {
    let version: ProtocolVersion
    private let settings: ConnectionSettings
    private let will: Will?
    private(set) var callbacks: Callbacks
    private(set) var client: Mosquitto
    /// Kinds of addresses not tried yet.
    private var untried: ArraySlice<Host.Family>
    private var attempt: ConnectionAttempt

    /// Starts to connect. The name lookup may block.
    ///
    /// - Throws: an immediate failure; `isConfiguration` if the settings can't work.
    init(
        _ settings: ConnectionSettings, _ version: ProtocolVersion, _ will: Will?
    ) throws(ConnectionFailure) {
        try settings.check()
        guard let families = Host.families(of: settings.host, port: settings.port) else {
            throw ConnectionFailure(address: settings.address, cause: .hostNotFound)
        }
        self.settings = settings
        self.version = version
        self.will = will
        callbacks = Callbacks(maximumPayload: settings.maximumPayload)
        client = try Mosquitto(settings, version, callbacks)
        // With one kind of address, the library connects without help.
        untried = families.count > 1 ? families[...] : []
        attempt = ConnectionAttempt(nil, settings)
        try connect()
    }

    /// Tries the next kind of address.
    ///
    /// - Returns: `false` if there is none.
    func connectNext() throws(ConnectionFailure) -> Bool {
        guard !untried.isEmpty else { return false }
        try renew()
        try connect()
        return true
    }

    /// Tries the remaining kinds of addresses until an attempt does not fail immediately.
    private func connect() throws(ConnectionFailure) {
        while true {
            attempt = ConnectionAttempt(untried.popFirst(), settings)
            try client.configure(settings, will)
            let outcome = client.connect(
                host: settings.host, port: settings.port, from: attempt.family?.wildcard,
                keepAliveSeconds: settings.usedKeepAliveSeconds)
            if outcome.errno.preventsConnection { attempt.error = outcome.errno }
            if outcome.code == .success { return }
            let failure = failure(after: outcome, wasConnected: false)
            guard failure.cause.mayDependOnAddress, !untried.isEmpty else { throw failure }
            try renew()
        }
    }

    private func renew() throws(ConnectionFailure) {
        callbacks = Callbacks(maximumPayload: settings.maximumPayload)
        client = try Mosquitto(settings, version, callbacks)
    }

    /// Looks at the socket of an attempt: a failure closes it, and only the socket knows the peer and the first error.
    func look(_ ready: Poll.Events) {
        if attempt.peer == nil {
            attempt.peer = client.descriptor.flatMap { Sockets.peer(of: $0) }
        }
        guard attempt.error == nil, !ready.isDisjoint(with: .failure),
            let descriptor = client.descriptor
        else { return }
        attempt.error = SocketState.takeError(of: descriptor).flatMap {
            $0.preventsConnection ? $0 : nil
        }
    }

    /// Why the attempt is over; `nil` if it is not.
    func cause(at now: Instant) -> ConnectionFailure.Cause? {
        if client.isConnected(withTLS: settings.tls != nil) { attempt.connected(at: now) }
        if let peer = attempt.takeProbe(at: now), isWebServer(peer) { return .webServer }
        guard now >= attempt.deadline else { return nil }
        return attempt.isConnected ? .connectUnanswered : .silent
    }

    private func isWebServer(_ peer: Sockets.ResolvedAddress) -> Bool {
        settings.asksForHTTP && HTTPProbe.isHTTP(peer, settings)
    }

    /// The failure of a call of the library.
    ///
    /// - Parameter wasConnected: whether the broker had accepted the connection.
    func failure(
        after outcome: Mosquitto.Outcome, wasConnected: Bool
    ) -> ConnectionFailure {
        var diagnosis = FailureDiagnosis(
            code: outcome.code, errno: outcome.errno, wasConnected: wasConnected,
            tls: settings.tls, connectError: attempt.error, errorLines: callbacks.errorLines,
            certificateFault: callbacks.certificateFault)
        if case .tls(.cutOff) = diagnosis.cause {
            // libmosquitto 2.0.21 reports a refused TCP connection in the same way.
            diagnosis.connectError = Host.connectError(settings.host, settings.port, attempt.family)
        }
        var cause = diagnosis.cause
        if cause == .protocolViolation, let peer = attempt.peer, isWebServer(peer) {
            cause = .webServer
        }
        return ConnectionFailure(address: settings.address, cause: cause)
    }
}
