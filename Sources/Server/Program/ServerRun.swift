import Configuration
import Glibc
import HTTP
import JSON
import Logging
import Posix
import Primitives
import Queueing
import ResultStore
import ServerConfiguration

/// One run of the server: it opens the store, recovers the day, and starts the loop.
struct ServerRun {
    private let configuration: ServerConfiguration
    private let files: ServerFiles
    private let file: String
    private let page: String
    private let truth: String?
    private let log: Log
    private let session = Session.begin()

    init(
        _ configuration: ServerConfiguration, _ files: ServerFiles, file: String, page: String,
        truth: String?, log: Log
    ) {
        self.configuration = configuration
        self.files = files
        self.file = file
        self.page = page
        self.truth = truth
        self.log = log
    }

    func run(_ engine: any StoreEngine) throws(SightlineServer.Exit) {
        let signals: Signals
        do throws(Errno) {
            signals = try Signals([SIGTERM, SIGINT, SIGHUP])
        } catch {
            throw SightlineServer.report(["can't receive signals: \(error)"], .failed)
        }
        let now = Instant.now
        let folder = try stateDirectory()
        let lock = try lock(folder)
        defer { withExtendedLifetime(lock) {} }
        let manager = ServiceManager { getenv($0).map { String(cString: $0) } }
        let store = engine.open(
            engine.place(in: folder), journal: SightlineServer.journal(of: folder),
            retention: StoreRetention(configuration), at: now, merge: PeriodSummary.merged)
        if case .refused(let reason) = store.state {
            throw SightlineServer.report([reason], .failed)
        }
        if let reason = store.state.reason {
            log.error(
                "results are not stored: retrying", ["reason": reason])
        }
        let keyFolders = SightlineServer.keyFolders(of: folder)
        let keys = DayKeys(
            folder: keyFolders.disk, refuge: keyFolders.refuge,
            hasWindows: { site, day in
                let first = try? store.end(of: 0, of: site, in: day.span)
                return first.map { $0 < day.span.upperBound } ?? false
            })
        let source = ConfiguredSites(
            configuration, files, file: file, store: store, keys: keys, session: session, log: log)
        if let warning = files.warning { log.warning(warning) }
        let clock = ServerClock(
            wall: Clocks.wall, isDisciplined: Clocks.isWallClockSynchronised, at: .now)
        let recoveries = source.recoveries(
            wall: clock.time(at: .now), clock.certainty(at: .now))
        let state = ServerState(
            session: session, sites: recoveries.map(\.site), store: store,
            truth: try SightlineServer.truthSource(truth), clock: clock)
        let http = try http(state, at: now)
        let loop = ServerLoop(
            state, link: source.link(), http: http, configuration, sites: source,
            recoveries: recoveries,
            keys: keys, service: ServiceStatus(manager, at: now), log: log, at: now)
        log.info(
            "listening", ["address": configuration.http.listen, "store": engine.place(in: folder)])
        do throws(Errno) { try loop.run(signals) } catch {
            throw SightlineServer.report(["can't wait: \(error)"], .failed)
        }
    }

    private func stateDirectory() throws(SightlineServer.Exit) -> String {
        let path = SightlineServer.stateDirectory(configuration) { name in
            getenv(name).map { String(cString: $0) }
        }
        guard let path else {
            throw SightlineServer.report([SightlineServer.noStateDirectory(file)], .wrong)
        }
        if !File.exists(path) { try? File.makeFolders(path) }
        return path
    }

    private func lock(_ folder: String) throws(SightlineServer.Exit) -> FolderLock? {
        do throws(FolderLock.Failure) { return try FolderLock(folder) } catch {
            switch error {
            case .taken(let process):
                let holder = process.map { "process \($0)" } ?? "another process"
                throw SightlineServer.report(
                    ["\(folder) is in use by \(holder): two servers can't share it"], .failed)
            case .unusable(let reason):
                log.warning("state directory not usable", ["folder": folder, "reason": reason])
                return nil
            }
        }
    }

    private func http(
        _ state: ServerState, at now: Instant
    ) throws(SightlineServer.Exit) -> HTTPServer {
        var options = HTTPServer.Options()
        switch configuration.http.listen {
        case .tcp(let host, let port):
            options.listening = [.tcp(host: host, port: port)]
            options.hosts = [host]
        case .unix(let path): options.listening = [.unix(path: path, mode: 0o660)]
        }
        options.hosts += configuration.http.hosts
        options.policy = files.policy
        if !PageRoutes.isPage(page) {
            log.warning(
                "no page: --page must name a folder with \(PageRoutes.indexName)", ["folder": page])
        }
        do throws(HTTPServerError) {
            return try HTTPServer(
                options,
                router: Router(
                    Endpoint.all.map { $0.route(state) } + PageRoutes(page, state).routes),
                at: now, log: { [log] in log.debug($0) })
        } catch {
            throw SightlineServer.report([error.description], .failed)
        }
    }
}
