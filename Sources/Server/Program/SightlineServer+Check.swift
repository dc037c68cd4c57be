import Diagnosis
import Posix
import ServerConfiguration

extension SightlineServer {
    /// Checks what a start needs beside a valid configuration. `doctor` checks the rights of the server's user.
    static func check(
        _ configuration: ServerConfiguration, file: String, page: String?, truth: String?
    ) throws(Exit) {
        _ = try connection(configuration, file: file)
        let folder = stateDirectory(configuration, of: file)
        if let reason = folder.flatMap({ StateFolder($0, of: .own, wanted: 0).impossibility }) {
            throw report([reason], .wrong)
        }
        if let page, !PageRoutes.isPage(page) {
            throw report(["--page \(page): no folder with \(PageRoutes.indexName)"], .wrong)
        }
        _ = try truthSource(truth)
    }

    /// The truth of `--truth`; `nil` without the option.
    static func truthSource(_ path: String?) throws(Exit) -> TruthSource? {
        guard let path else { return nil }
        do throws(Errno) { return try TruthSource(path) } catch {
            throw report(["--truth \(path): can't be read: \(error)"], .wrong)
        }
    }
}
