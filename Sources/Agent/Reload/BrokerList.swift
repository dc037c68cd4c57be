import Configuration
import MQTT
import Posix

/// The brokers of a configuration in the order in which they are tried, their passwords read.
package struct BrokerList: Equatable, Sendable {
    /// What there is to say about the files with the passwords.
    struct Remarks {
        /// Brokers that can't be used, and why.
        var faults: [String] = []
        var warnings: [String] = []
    }

    /// One whose password can't be read is not among them.
    let usable: [Uplink.Broker]
    /// Of the files with authorities, certificates and keys, which each connection reads for itself.
    private let stamps: [FileStamp?]

    /// Reads the passwords; brokers may share a file, of which all is said once.
    init(reading configuration: LocalConfiguration, _ remarks: inout Remarks) {
        var usable: [Uplink.Broker] = []
        let all = [configuration.broker].compactMap(\.self) + configuration.alternatives
        for settings in all {
            do throws(PasswordFile.Unusable) {
                let (connection, warning) = try settings.connection(for: configuration.topics)
                usable.append(Uplink.Broker(connection, settings.protocolChoice))
                if let warning, !remarks.warnings.contains(warning) {
                    remarks.warnings.append(warning)
                }
            } catch {
                let fault = error.description
                if !remarks.faults.contains(fault) { remarks.faults.append(fault) }
            }
        }
        self.usable = usable
        stamps = usable.flatMap(\.connection.files).map { FileStamp(of: $0) }
    }

    /// What would keep connections from being tried, such as a certificate that can't be read.
    var objections: [String] {
        var objections: [String] = []
        for broker in usable {
            do throws(ConnectionFailure) { try broker.connection.check() } catch {
                let sentence = error.description
                if !objections.contains(sentence) { objections.append(sentence) }
            }
        }
        return objections
    }
}

extension ConnectionSettings {
    /// The files that a connection reads.
    fileprivate var files: [String] {
        [tls?.caFile, tls?.client?.certFile, tls?.client?.keyFile].compactMap(\.self)
    }
}
