import Configuration
import MQTT
import Messages
import Posix

extension Daemon.Run {
    /// The brokers in the order in which they are tried; reads the passwords' files.
    ///
    /// One whose password can't be read is left out, and said, as long as there is another.
    ///
    /// - Throws: wrong configuration, after having said so.
    func brokers() throws(Daemon.Exit) -> (first: Uplink.Broker, others: [Uplink.Broker]) {
        guard let first = configuration.broker else {
            throw Daemon.complain(["mqtt is missing in the configuration"], .wrong)
        }
        var brokers: [Uplink.Broker] = []
        var faults: [String] = []
        var warnings: [String] = []
        for settings in [first] + configuration.alternatives {
            do throws(PasswordFile.Unusable) {
                brokers.append(try broker(settings, &warnings))
            } catch {
                if !faults.contains(error.description) { faults.append(error.description) }
            }
        }
        for warning in warnings { log.warning(warning) }
        guard let usable = brokers.first else { throw Daemon.complain(faults, .wrong) }
        for fault in faults { log.error("a broker can't be used", ["reason": fault]) }
        return (usable, Array(brokers.dropFirst()))
    }

    private func broker(
        _ settings: BrokerSettings, _ warnings: inout [String]
    ) throws(PasswordFile.Unusable) -> Uplink.Broker {
        let (connection, warning) = try settings.connection(for: configuration.topics)
        // Brokers may share a file.
        if let warning, !warnings.contains(warning) { warnings.append(warning) }
        return Uplink.Broker(connection, settings.protocolChoice)
    }
}
