import Configuration
import HTTP
import ServerConfiguration

/// What the files say that a configuration names: the password of the broker, certificates, and tokens.
struct ServerFiles {
    let access: BrokerAccess
    let policy: AccessPolicy
    /// A weakness of the file with the password.
    let warning: String?

    /// Reads the files. Throws a line for each fault of any of them.
    ///
    /// - Parameters:
    ///   - file: the path of the configuration.
    ///   - needsCertificates: whether a certificate that can't be loaded is a fault. Else each connection tries again.
    init(
        _ configuration: ServerConfiguration, of file: String, needsCertificates: Bool
    ) throws(ConfigurationError) {
        var lines: [String] = []
        var access: BrokerAccess?
        var policy: AccessPolicy?
        var warning: String?
        do throws(ConfigurationError) {
            let read = try BrokerAccess(configuration, of: file, warning: &warning)
            if needsCertificates { lines += read.faults(of: file) }
            access = read
        } catch { lines += error.lines }
        do throws(ConfigurationError) {
            policy = try AccessPolicy(configuration.http, of: file)
        } catch { lines += error.lines }
        guard let access, let policy, lines.isEmpty else { throw ConfigurationError(lines: lines) }
        (self.access, self.policy, self.warning) = (access, policy, warning)
    }
}
