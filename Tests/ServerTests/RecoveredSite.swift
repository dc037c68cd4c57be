import Facts
import HTTP
import Logging
import Posix
import Primitives
import Queueing
import ResultStore
import ServerConfiguration
import StoreSQLite
import TestSupport

@testable import Server

extension ConfiguredSites {
    /// Reads the files that the configuration names.
    convenience init(_ configuration: ServerConfiguration, store: SQLiteStore, keys: DayKeys) throws
    {
        self.init(
            configuration, try ServerFiles(configuration, of: "", needsCertificates: false),
            file: "", store: store, keys: keys, session: Session(description: "0"),
            log: Log(level: .error))
    }
}

extension ServerState {
    /// The answer of the API to a client.
    func answer(
        _ target: String, _ method: HTTP.Method = .get, body: String = "", scope: Scope? = .read,
        headers: Headers = [:]
    ) throws -> Response {
        let target = try RequestTarget(parsing: Array(target.utf8))
        guard let peer = PeerAddress("127.0.0.1") else { throw TestFailure("no address") }
        let head = RequestHead(method, target, headers, from: peer)
        for endpoint in Endpoint.all where endpoint.method == method {
            let route = endpoint.route(self)
            guard let parameters = route.template.match(target.path) else { continue }
            return route.handler(
                Request(
                    head, body: Array(body.utf8), parameters: parameters, scope: scope, at: .now))
        }
        throw TestFailure("no route for \(target)")
    }
}

/// The first site of a configuration, as a server finds it that starts at `wall`.
func recovered(
    _ configuration: ServerConfiguration, _ store: SQLiteStore, keys: DayKeys, wall: UnixTime
) throws -> Site {
    let source = try ConfiguredSites(configuration, store: store, keys: keys)
    guard var recovery = source.recoveries(wall: wall).first else {
        throw TestFailure("the configuration has no site")
    }
    while !recovery.step(wall: wall).isDone {}
    return recovery.site
}

extension Site {
    /// Folds to the present, part by part.
    func advanceWholly(through second: UnixSecond) -> Results {
        var results = advance(through: second)
        while isBehind { results = results + advance(through: second) }
        return results
    }

    /// Closes the day, part by part.
    func closeWholeDay(wall: UnixTime) -> Results {
        var (results, isClosed) = closeDay(wall: wall)
        while !isClosed {
            let part = closeDay(wall: wall)
            results = results + part.results
            isClosed = part.isClosed
        }
        return results
    }
}

/// A server of one site `s`, whose queue `q` has the gateways `e` at its entry and `t` at its till. The files are in a folder
/// of the test.
struct QueueServer {
    /// 2024-11-24 12:00 UTC, far from any 04:00 in the zone of the tests.
    static let noon: Int64 = 1_732_449_600_000

    let folder: TemporaryFolder
    let configuration: ServerConfiguration
    var layout: SiteLayout { configuration.sites[0] }

    /// - Parameters:
    ///   - more: members of the queue.
    ///   - privacy: what the server keeps of persons.
    init(_ more: String = "", privacy: String = "day") throws {
        folder = try TemporaryFolder()
        let text = """
            {"mqtt": {"host": "b"}, "privacy": "\(privacy)", "sites": [{"site": "s", "learningSeconds": 0,
             "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]\(more)}]}]}
            """
        configuration = try ServerConfiguration(parsing: Array(text.utf8))
    }

    func store() -> SQLiteStore {
        SQLiteStore(path: folder.file("store.sqlite"), at: .now, merge: PeriodSummary.merged)
    }

    /// An empty window of a second, `seconds` after noon.
    static func window(_ seconds: Int64) -> WindowFact {
        let start = UnixTime(milliseconds: noon) + .seconds(seconds)
        return WindowFact(
            session: "a", numbers: UInt64(seconds)...UInt64(seconds),
            span: start..<start + .seconds(1), readings: [])
    }

    /// The site of a server that starts at noon.
    func site(_ store: SQLiteStore) throws -> Site {
        try recovered(
            configuration, store, keys: DayKeys(folder: folder.file("keys")),
            wall: UnixTime(milliseconds: Self.noon))
    }
}
