import Contract
import Posix
import Primitives
import Prometheus

/// The metrics' file; what keeps it from being written is logged once, until it can be written again.
struct MetricsFile {
    /// What is news: told late, it would show an outage that is over, or hide one.
    struct Standing: Equatable {
        var isConnected: Bool
        var isHearing: Bool
        var isDegraded: Bool
    }

    /// The least time between news, in microseconds.
    private static let pause: Int64 = 1_000_000

    let path: String
    private var toldReason: Errno?
    /// What it says, and since when.
    private var told: (standing: Standing, at: Instant)?

    init(_ path: String) { self.path = path }

    /// When it is to be written for the news in `standing`; `nil` where there are none.
    func deadline(_ standing: Standing) -> Instant? {
        guard let told, told.standing != standing else { return nil }
        return told.at.advanced(byMicroseconds: Self.pause)
    }

    /// Writes it anew, as a whole or not at all.
    mutating func write(_ metrics: Metrics, at now: Instant, log: Log) {
        // Also where it can't be written: then the next health tries again.
        told = (metrics.standing, now)
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

extension Metrics {
    fileprivate var standing: MetricsFile.Standing {
        .init(isConnected: isConnected, isHearing: isHearing, isDegraded: isDegraded)
    }
}
