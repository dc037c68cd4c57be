import Posix
import Primitives
import ResultStore
import SQLite

/// The check of the whole file beside the running server, again and again.
///
/// SQLite reads all pages, and compares the tables with their indexes. That takes seconds, or minutes where the file has gigabytes:
/// it runs on a thread of its own, over a connection of its own.
struct StoreInspection {
    private var running: BlockingCall<StoreFailure?>?
    private var began: Instant?
    private var next: Instant?
    /// Whether a check has ended.
    private(set) var isDone = false
    var isRunning: Bool { running != nil }

    /// The pause after a check, at least; and in relation to its time.
    private static let pause = Duration.seconds(60)
    private static let rest = 100

    /// Begins a check if it is time for one, or takes the result of the last one.
    ///
    /// - Returns: what is damaged.
    mutating func step(_ path: String, at now: Instant) -> StoreFailure? {
        if let running {
            guard let result = running.takeResult() else { return nil }
            self.running = nil
            isDone = true
            let time = began.map { now - $0 } ?? .zero
            next = now + max(Self.pause, time * Self.rest)
            return result
        }
        guard next.map({ $0 <= now }) ?? true else { return nil }
        began = now
        running = try? BlockingCall(thread: "check") { Self.failure(of: path) }
        if running == nil { next = now + Self.pause }
        return nil
    }

    /// A failure of the disk is none: the next commit shows it.
    private static func failure(of path: String) -> StoreFailure? {
        var faults: [String] = []
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(path: path, .read)
            defer { database.close() }
            try database.run("PRAGMA cache_size=-512; PRAGMA cell_size_check=ON;")
            try database.query("PRAGMA integrity_check(1)") { faults.append($0.text(0)) }
        } catch {
            return error.isCorruption ? StoreFailure(error) : nil
        }
        return faults == ["ok"]
            ? nil : StoreFailure(.corrupt, "the check of the file: \(faults.first ?? "no answer")")
    }
}
