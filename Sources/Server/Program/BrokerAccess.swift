import Configuration
import MQTT
import Posix
import Primitives
import ServerConfiguration
import Session

/// How the server comes to its broker: the section `mqtt` with the password, and the states of the files that TLS reads.
struct BrokerAccess: Equatable {
    private(set) var settings: ConnectionSettings
    let version: Reconnect.Choice
    /// Each connection reads the files for itself.
    private let stamps: [FileStamp?]
    private let tls: BrokerSettings.TLS?

    /// Reads the password. Throws a line for each fault.
    ///
    /// - Parameter file: the path of the configuration.
    init(
        _ configuration: ServerConfiguration, of file: String, warning: inout String?
    ) throws(ConfigurationError) {
        guard let broker = configuration.broker else {
            throw ConfigurationError(lines: ["\(file): /mqtt: mqtt is required"])
        }
        do throws(PasswordFile.Unusable) {
            (settings, warning) = try broker.connection(
                usualClientID: "sightline-server/\(configuration.id)")
        } catch {
            throw ConfigurationError(lines: ["\(file): /mqtt/passwordFile: \(error)"])
        }
        settings.isIsolated = true
        version = broker.protocolChoice
        tls = broker.tls
        stamps = settings.files.map { FileStamp(of: $0) }
    }

    /// A line for each file of `mqtt.tls` that can't be read, else one that says why TLS refuses them.
    func faults(of file: String) -> [String] {
        let files = [
            ("caFile", tls?.caFile), ("certFile", tls?.certFile), ("keyFile", tls?.keyFile),
        ]
        var faults: [String] = []
        for (key, path) in files {
            guard let path else { continue }
            do throws(Errno) { _ = try MappedFile(path: path) } catch {
                faults.append("\(file): /mqtt/tls/\(key): \(path) can't be read: \(error)")
            }
        }
        guard faults.isEmpty, let fault = settings.fault else { return faults }
        return ["\(file): /mqtt\(tls == nil ? "" : "/tls"): \(fault)"]
    }
}

/// Connections to the broker that ended soon after they began, one after the other. A broker ends the connection of a server
/// when another one of the same name connects, so that two such servers alternate.
struct BriefConnections {
    private var began: Instant?
    private var ended: Instant?
    private var inSuccession = 0
    /// When the server itself ended a connection for the last time, by reason.
    private var interruptions: [Ingest.Undecided: Instant] = [:]
    /// Why connections and attempts have ended since the last one began.
    private var reasons: Set<String> = []

    /// The other server returns sooner: the wait before its attempt is at most ten seconds.
    static let length = Duration.seconds(30)
    /// A broker that restarts ends one or two.
    static let least = 3
    private static let mostReasons = 64

    mutating func began(at now: Instant) {
        began = now
        reasons = []
    }

    /// The server itself ends the connection.
    mutating func interrupted() { began = nil }

    /// Whether the server has not ended a connection for this reason within a minute.
    mutating func isNew(_ reason: Ingest.Undecided, at now: Instant) -> Bool {
        let last = interruptions.updateValue(now, forKey: reason)
        return last.map { now - $0 >= .seconds(60) } ?? true
    }

    /// Whether no connection and no attempt has ended for this reason since the last connection began.
    mutating func isNew(_ reason: String) -> Bool {
        reasons.count < Self.mostReasons && reasons.insert(reason).inserted
    }

    mutating func ended(at now: Instant) {
        guard let began else { return }
        inSuccession = now - began < Self.length ? inSuccession + 1 : 0
        (self.began, ended) = (nil, now)
    }

    /// - Parameter suspicion: who may have ended them.
    /// - Returns: a sentence; `nil` if the connections last.
    func fault(_ suspicion: String, at now: Instant) -> String? {
        guard inSuccession >= Self.least, let ended, now - ended < Self.length else { return nil }
        return "The last \(inSuccession) connections to the broker ended soon after they began: "
            + "\(suspicion)."
    }
}
