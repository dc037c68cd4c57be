import Configuration
import MQTT
import Posix
import Session

/// The brokers of a configuration in the order of attempts, with their passwords.
package struct BrokerList: Equatable, Sendable {
    /// The faults and warnings about files that the brokers name. Each is listed once, even if brokers share a file.
    struct Notes {
        /// Passwords that can't be read.
        var passwordFaults: [String] = []
        /// Certificate authorities, certificates and keys that can't be loaded. Each connection attempt loads them again.
        var certificateFaults: [String] = []
        var warnings: [String] = []

        fileprivate static func add(_ note: String?, to list: inout [String]) {
            if let note, !list.contains(note) { list.append(note) }
        }
    }

    /// The brokers with a readable password.
    let usable: [BrokerEndpoint]
    /// The brokers with any fault.
    let faulty: [BrokerSettings]
    /// Whether any broker is without a fault.
    let hasUsable: Bool
    /// The states of the certificate files, which each connection reads for itself.
    private let stamps: [FileStamp?]

    /// Reads the passwords and checks the other files.
    init(reading configuration: LocalConfiguration, _ notes: inout Notes) {
        var usable: [BrokerEndpoint] = []
        var faulty: [BrokerSettings] = []
        let all = [configuration.broker].compactMap(\.self) + configuration.alternatives
        for settings in all {
            do throws(PasswordFile.Unusable) {
                let (connection, warning) = try settings.connection(for: configuration.topics)
                usable.append(BrokerEndpoint(connection, settings.protocolChoice))
                Notes.add(warning, to: &notes.warnings)
                guard let fault = connection.fault else { continue }
                faulty.append(settings)
                Notes.add(fault.description, to: &notes.certificateFaults)
            } catch {
                faulty.append(settings)
                Notes.add(error.description, to: &notes.passwordFaults)
            }
        }
        self.usable = usable
        self.faulty = faulty
        hasUsable = faulty.count < all.count
        stamps = usable.flatMap(\.connection.files).map { FileStamp(of: $0) }
    }
}
