import Configuration
import MQTT
import Posix

/// The brokers of a configuration in the order in which they are tried, their passwords read.
package struct BrokerList: Equatable, Sendable {
    /// What there is to say about the files that the brokers name.
    struct Remarks {
        /// Of brokers whose password can't be read.
        var faults: [String] = []
        /// Of brokers whose authorities, certificate or key can't be loaded, which each attempt to connect tries again.
        var objections: [String] = []
        var warnings: [String] = []
    }

    /// One whose password can't be read is not among them.
    let usable: [Uplink.Broker]
    /// Those with a fault or an objection.
    let faulty: [BrokerSettings]
    /// Whether there are others.
    let hasSound: Bool
    /// Of the files with authorities, certificates and keys, which each connection reads for itself.
    private let stamps: [FileStamp?]

    /// Reads the passwords, and tries the other files; brokers may share a file, of which all is said once.
    init(reading configuration: LocalConfiguration, _ remarks: inout Remarks) {
        var usable: [Uplink.Broker] = []
        var faulty: [BrokerSettings] = []
        let all = [configuration.broker].compactMap(\.self) + configuration.alternatives
        for settings in all {
            do throws(PasswordFile.Unusable) {
                let (connection, warning) = try settings.connection(for: configuration.topics)
                usable.append(Uplink.Broker(connection, settings.protocolChoice))
                if let warning, !remarks.warnings.contains(warning) {
                    remarks.warnings.append(warning)
                }
                if let objection = connection.objection {
                    faulty.append(settings)
                    if !remarks.objections.contains(objection) {
                        remarks.objections.append(objection)
                    }
                }
            } catch {
                faulty.append(settings)
                let fault = error.description
                if !remarks.faults.contains(fault) { remarks.faults.append(fault) }
            }
        }
        self.usable = usable
        self.faulty = faulty
        hasSound = faulty.count < all.count
        stamps = usable.flatMap(\.connection.files).map { FileStamp(of: $0) }
    }
}

extension ConnectionSettings {
    /// What would keep connections from being tried, such as a certificate that can't be loaded.
    fileprivate var objection: String? {
        do throws(ConnectionFailure) {
            try check()
            return nil
        } catch {
            return error.description
        }
    }

    /// The files that a connection reads.
    fileprivate var files: [String] {
        [tls?.caFile, tls?.client?.certFile, tls?.client?.keyFile].compactMap(\.self)
    }
}
