import Configuration
import Diagnosis
import Posix
import ServerConfiguration

extension SightlineServer {
    /// Checks what a start needs beside a valid configuration, and reports all faults. `doctor` checks the rights of the server's
    /// user.
    static func check(
        _ configuration: ServerConfiguration, file: String, page: String?, truth: String?
    ) throws(Exit) {
        var faults: [String] = []
        do throws(ConfigurationError) {
            _ = try ServerFiles(configuration, of: file, needsCertificates: true)
        } catch {
            faults += error.lines
        }
        let folder = stateDirectory(configuration, of: file)
        if let reason = folder.flatMap({ StateFolder($0, of: .own, wanted: 0).impossibility }) {
            faults.append("\(file): /stateDirectory: \(reason)")
        } else if folder == nil {
            faults.append(noStateDirectory(file))
        }
        if let fault = configuration.http.listen.fault {
            faults.append("\(file): /http/listen: \(fault)")
        }
        if let page, !PageRoutes.isPage(page) {
            faults.append("--page \(page): no folder with \(PageRoutes.indexName)")
        }
        do throws(Errno) { _ = try truth.map(TruthSource.init) } catch {
            faults.append(truthFault(truth, error))
        }
        guard faults.isEmpty else { throw report(faults, .wrong) }
    }

    /// The truth of `--truth`; `nil` without the option.
    static func truthSource(_ path: String?) throws(Exit) -> TruthSource? {
        do throws(Errno) { return try path.map(TruthSource.init) } catch {
            throw report([truthFault(path, error)], .wrong)
        }
    }

    private static func truthFault(_ path: String?, _ error: Errno) -> String {
        "--truth \(path ?? ""): can't be read: \(error)"
    }
}
