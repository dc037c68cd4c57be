import Configuration
import Diagnosis
import MQTT
import Posix
import ServerConfiguration

extension SightlineServer {
    /// Checks what a start needs beside a valid configuration. `doctor` checks the rights of the server's user.
    static func check(
        _ configuration: ServerConfiguration, file: String, page: String?, truth: String?
    ) throws(Exit) {
        let (settings, _) = try connection(configuration, file: file)
        if let tls = configuration.broker?.tls { try check(tls, settings, file: file) }
        let folder = stateDirectory(configuration, of: file)
        if let reason = folder.flatMap({ StateFolder($0, of: .own, wanted: 0).impossibility }) {
            throw report([reason], .wrong)
        }
        if let page, !PageRoutes.isPage(page) {
            throw report(["--page \(page): no folder with \(PageRoutes.indexName)"], .wrong)
        }
        _ = try truthSource(truth)
    }

    /// Reports each file of `mqtt.tls` that can't be read, else why TLS refuses them.
    private static func check(
        _ tls: BrokerSettings.TLS, _ settings: ConnectionSettings, file: String
    ) throws(Exit) {
        let files = [("caFile", tls.caFile), ("certFile", tls.certFile), ("keyFile", tls.keyFile)]
        var faults: [String] = []
        for (key, path) in files {
            guard let path else { continue }
            do throws(Errno) { _ = try MappedFile(path: path) } catch {
                faults.append("\(file): /mqtt/tls/\(key): \(path) can't be read: \(error)")
            }
        }
        guard faults.isEmpty else { throw report(faults, .wrong) }
        do throws(ConnectionFailure) { try settings.check() } catch {
            throw report(["\(file): /mqtt/tls: \(error)"], .wrong)
        }
    }

    /// The truth of `--truth`; `nil` without the option.
    static func truthSource(_ path: String?) throws(Exit) -> TruthSource? {
        guard let path else { return nil }
        do throws(Errno) { return try TruthSource(path) } catch {
            throw report(["--truth \(path): can't be read: \(error)"], .wrong)
        }
    }
}
