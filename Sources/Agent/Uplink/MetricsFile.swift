import Messages
import Posix

/// The metrics' file; what keeps it from being written is logged once, until it can be written again.
struct MetricsFile {
    let path: String
    private var toldReason: Errno?

    init(_ path: String) { self.path = path }

    /// Writes it anew, as a whole or not at all.
    mutating func write(_ metrics: Metrics, log: Log) {
        do throws(Errno) {
            try File.publish(Array(metrics.text.utf8), at: path)
            if toldReason != nil { log.info("the metrics are written again", ["file": path]) }
            toldReason = nil
        } catch {
            guard error != toldReason else { return }
            toldReason = error
            log.warning(
                "the metrics can't be written; " + hint(for: error),
                ["file": path, "reason": error])
        }
    }

    /// Takes it away: what nobody writes any more would look like an agent that is well.
    func remove() { try? File.remove(path) }

    private func hint(for reason: Errno) -> String {
        let folder = File.folder(of: path)
        return switch reason {
        case .noSuchFile: "make the folder \(folder), or correct metrics.textfile"
        case .permissionDenied, .readOnlyFileSystem:
            "let the agent's user write in \(folder), or correct metrics.textfile"
        default: "see to \(folder), or correct metrics.textfile"
        }
    }
}
