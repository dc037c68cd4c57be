/// The events of libmosquitto's callbacks, kept until the call that caused them returns.
///
/// Callbacks run inside the library and under its locks: they copy their arguments and return.
final class Callbacks {
    /// The event of one callback, with the library's numbers.
    enum Event {
        case connected(code: CInt, BrokerAbilities)
        case acknowledged(mid: CInt, code: CInt)
        case subscribed(mid: CInt, code: CInt)
        case message(Message)
        case oversized(topic: String, bytes: Int)
        case disconnected(code: CInt)
    }

    private var events: [Event] = []
    /// The first error lines of the library: it logs them before and during a failure.
    private(set) var errorLines: [String] = []
    /// Why OpenSSL rejects the broker's certificate.
    private(set) var certificateFault: String?
    let maximumPayload: Int

    private static let maxErrorLines = 8

    init(maximumPayload: Int) { self.maximumPayload = maximumPayload }

    func add(_ event: Event) { events.append(event) }

    func add(errorLine: String, certificateFault fault: String?) {
        if errorLines.count < Self.maxErrorLines { errorLines.append(errorLine) }
        if let fault { certificateFault = fault }
    }

    var count: Int { events.count }

    func take() -> [Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }
}

extension Mosquitto {
    /// Prepares a new client for its connection.
    ///
    /// - Throws: `isConfiguration`: the settings can't work.
    func configure(_ settings: ConnectionSettings, _ will: Will?) throws(ConnectionFailure) {
        limitPackets(to: settings.maximumPacket, settings.reading)
        if let username = settings.username {
            let code = setCredentials(username: username, password: settings.password)
            guard code == .success else { throw settings.fault("the user name is not valid") }
        }
        if let will {
            guard setWill(will) == .success, !will.topic.utf8.contains(0) else {
                throw settings.fault("the will's topic \"\(will.topic)\" is not valid")
            }
        }
        if let tls = settings.tls {
            guard setTLS(tls) == .success else {
                throw settings.fault("the TLS settings are not valid")
            }
        }
    }
}

/// The libraries that carry messages, in the versions that are loaded.
package enum MQTTLibraries {
    /// For `--version`: `libmosquitto 2.0.21, OpenSSL 3.5.1 1 Jul 2025`.
    package static var versions: String {
        "libmosquitto \(Mosquitto.libraryVersion), \(TLSStream.libraryVersion)"
    }
}
