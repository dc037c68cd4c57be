import Contract
import Logging
import Posix
import Primitives
import Prometheus

/// The metrics file for Prometheus. A write failure is logged once, until the file is writable again.
struct MetricsFile {
    /// The state that is written without waiting for the next interval: a stale value would show a false outage, or hide one.
    struct State: Equatable {
        var isConnected: Bool
        var isHearing: Bool
        var isDegraded: Bool
    }

    /// The shortest time between two changes of the state in the file.
    private static let minimumInterval = Duration.seconds(1)

    let path: String
    private var loggedError: Errno?
    /// The state in the file, and when it was written.
    private var written: (state: State, at: Instant)?

    init(_ path: String) { self.path = path }

    /// When to write the file because the state differs from `state`; `nil` if it does not differ.
    func deadline(_ state: State) -> Instant? {
        guard let written, written.state != state else { return nil }
        return written.at + Self.minimumInterval
    }

    /// Replaces the file as a whole.
    mutating func write(_ metrics: Metrics, at now: Instant, log: Log) {
        // Also set after a failure: the next health message tries again.
        written = (metrics.state, now)
        do throws(Errno) {
            try File.publish(Array(metrics.text.utf8), at: path)
            if loggedError != nil { log.info("metrics file writable again", ["file": path]) }
            loggedError = nil
        } catch {
            guard error != loggedError else { return }
            loggedError = error
            log.warning(
                "can't write the metrics file, retrying; " + remedy(for: error),
                ["file": path, "reason": error])
        }
    }

    /// Removes the file: stale metrics would look like a working agent.
    func remove() { try? File.remove(path) }

    private func remedy(for reason: Errno) -> String {
        let folder = File.folder(of: path)
        return switch reason {
        case .noSuchFile: "create the directory \(folder), or correct metrics.textfile"
        case .permissionDenied, .readOnlyFileSystem:
            "give the agent's user write access to \(folder), or correct metrics.textfile"
        default: "check \(folder), or correct metrics.textfile"
        }
    }
}

extension Metrics {
    fileprivate var state: MetricsFile.State {
        .init(
            isConnected: isConnected, isHearing: health.radio.isHearing == true,
            isDegraded: isDegraded)
    }
}
