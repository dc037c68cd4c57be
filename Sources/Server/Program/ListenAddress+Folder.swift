import Posix
import ServerConfiguration

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
