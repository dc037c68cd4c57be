import Logging
import Posix
import Primitives
import Queueing
import ServerConfiguration
import Store
import TestSupport

@testable import Server

/// The first site of a configuration, as a server finds it that starts at `wall`.
func recovered(
    _ configuration: ServerConfiguration, _ store: Store, keys: DayKeys, wall: UnixTime
) throws -> SiteService {
    let source = SiteSource(
        configuration, file: "", store: store, keys: keys, session: Session(description: "0"),
        log: Log(level: .error))
    guard var recovery = source.recoveries(wall: wall).first else {
        throw TestFailure("the configuration has no site")
    }
    while !recovery.step(wall: wall).isDone {}
    return recovery.site
}

/// A server of one site `s`, whose queue `q` has the gateways `e` at its entry and `t` at its till. The files are in a folder
/// of the test.
struct QueueServer {
    /// 2024-11-24 12:00 UTC, far from any 04:00 of a time zone near Greenwich.
    static let noon: Int64 = 1_732_449_600_000

    let folder: TemporaryFolder
    private let configuration: ServerConfiguration

    /// - Parameter more: members of the queue.
    init(_ more: String = "") throws {
        folder = try TemporaryFolder()
        let text = """
            {"mqtt": {"host": "b"}, "sites": [{"site": "s", "learningSeconds": 0,
             "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]\(more)}]}]}
            """
        configuration = try ServerConfiguration(parsing: Array(text.utf8))
    }

    func store() -> Store {
        Store(path: folder.file("store.sqlite"), at: .now, merge: PeriodSummary.merged)
    }

    /// The site of a server that starts at noon.
    func site(_ store: Store) throws -> SiteService {
        try recovered(
            configuration, store, keys: DayKeys(folder: folder.file("keys")),
            wall: UnixTime(milliseconds: Self.noon))
    }
}
