import Configuration
import Glibc
import Posix
import Primitives
import ServerConfiguration

extension SightlineServer {
    /// The state directory of the service (systemd.exec(5)).
    static let serviceState = "/var/lib/sightline-server"

    /// The folder of the store and of the keys; `nil` if the file and the environment name none.
    static func stateDirectory(
        _ configuration: ServerConfiguration, environment: (String) -> String?
    ) -> String? {
        StateDirectory.path(
            configured: configuration.stateDirectory, program: "sightline-server",
            environment: environment)
    }

    /// The fault of a configuration at `file` without a folder.
    static func noStateDirectory(_ file: String) -> String {
        "\(file): /stateDirectory: stateDirectory is required, since HOME is not set"
    }

    /// The folder of a server with the configuration at `file`, for a command that runs beside it.
    ///
    /// Only the service has systemd's variable.
    static func stateDirectory(_ configuration: ServerConfiguration, of file: String) -> String? {
        stateDirectory(configuration) { name in
            if name == "STATE_DIRECTORY", file == usualConfiguration, File.exists(serviceState) {
                return serviceState
            }
            return getenv(name).map { String(cString: $0) }
        }
    }

    /// A file outside the state directory for what its disk does not take. Its name follows from the folder.
    static func journal(of folder: String) -> String? {
        refuge(of: folder).map { $0 + ".sqlite" }
    }

    /// The keys of the folder `folder`: in the state directory, or beside the journal while its disk does not take them.
    static func keyFolders(of folder: String) -> (disk: String, refuge: String?) {
        (folder + "/" + keysName, refuge(of: folder).map { $0 + "." + keysName })
    }

    /// The beginning of the names of files outside the state directory.
    private static func refuge(of folder: String) -> String? {
        let runtime = RuntimeDirectory.path(program: "sightline-server", isRoot: geteuid() == 0) {
            getenv($0).map { String(cString: $0) }
        }
        guard let runtime else { return nil }
        let name = Hexadecimal.text(Array(SHA256Digest(of: Array(folder.utf8)).bytes.prefix(8)))
        return "\(runtime)/uncommitted-\(name)"
    }
}
