import Configuration
import HTTP
import JSON
import Posix
import ServerConfiguration

/// What the files say that a configuration names: the password of the broker, certificates, tokens, registries of beacons, and plans.
struct ServerFiles {
    let access: BrokerAccess
    let policy: AccessPolicy
    let registries: Registries
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
        var registries: Registries?
        var warning: String?
        do throws(ConfigurationError) {
            let read = try BrokerAccess(configuration, of: file, warning: &warning)
            if needsCertificates { lines += read.faults(of: file) }
            access = read
        } catch { lines += error.lines }
        do throws(ConfigurationError) {
            policy = try AccessPolicy(configuration.http, of: file)
        } catch { lines += error.lines }
        do throws(ConfigurationError) {
            registries = try Registries(configuration, of: file)
        } catch { lines += error.lines }
        if let fault = configuration.webhook?.fault {
            lines.append("\(file): /webhook/caFile: \(fault)")
        }
        guard let access, let policy, let registries, lines.isEmpty else {
            throw ConfigurationError(lines: lines)
        }
        (self.access, self.policy, self.warning) = (access, policy, warning)
        self.registries = registries
    }
}

extension ListenAddress {
    /// systemd creates it when the service starts.
    private static let serviceFolder = "/run/sightline-server"

    /// Why no socket can be there: its folder is missing. `nil` if it can.
    var fault: String? {
        guard case .unix(let path) = self else { return nil }
        let folder = File.folder(of: path)
        guard folder != Self.serviceFolder else { return nil }
        guard let permissions = try? FilePermissions(of: folder) else {
            return
                "\(self): the folder \(folder) does not exist: create it, or choose another http.listen"
        }
        return permissions.isFolder
            ? nil : "\(self): \(folder) is not a folder: choose another http.listen"
    }
}

extension AccessPolicy {
    /// Who may read what, with the tokens of the file. Throws a line for each fault.
    ///
    /// On a local address without tokens, every program of the machine may read everything.
    ///
    /// - Parameter file: the path of the configuration.
    init(_ settings: HTTPSettings, of file: String) throws(ConfigurationError) {
        guard let path = settings.tokens else {
            self.init(anonymous: .read)
            return
        }
        let bytes: [UInt8]
        do throws(TextFile.Unreadable) {
            bytes = try TextFile.contents(of: path, maxBytes: AccessTokens.maxFileBytes)
        } catch {
            throw ConfigurationError(lines: [
                "\(file): /http/tokens: \(path) can't be read: \(error); http.tokens in 'man sightline-server.json' says "
                    + "what this file has"
            ])
        }
        do throws(Faults) {
            self.init(
                anonymous: settings.isPublic ? .public : nil,
                tokens: try AccessTokens(parsing: bytes))
        } catch {
            throw ConfigurationError(lines: error.list.map { $0.line(of: path) })
        }
    }
}
