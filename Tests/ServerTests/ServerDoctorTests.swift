import Contract
import Diagnosis
import HTTP
import JSON
import MQTT
import Posix
import Primitives
import ResultStore
import ServerConfiguration
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("sightline-server doctor")
struct ServerDoctorTests {
    private static let local = HTTPSettings()
    private static func settings(_ change: (inout HTTPSettings) -> Void) -> HTTPSettings {
        var settings = HTTPSettings()
        change(&settings)
        return settings
    }
    private static let everywhere = ListenAddress.tcp(host: "0.0.0.0", port: 80)

    @Test("who can reach the page, and by which names")
    func hosts() {
        let cases: [(HTTPSettings, Check.Outcome, String)] = [
            (Self.local, .ok, "http.tokens"),
            (Self.settings { $0.hosts = ["shop.example"] }, .ok, "shop.example"),
            (Self.settings { $0.listen = Self.everywhere }, .warning, "http.hosts"),
            (
                Self.settings {
                    $0.listen = Self.everywhere
                    $0.hosts = ["shop.example"]
                }, .ok, "shop.example"
            ),
        ]
        for (settings, outcome, words) in cases {
            let check = Check.hosts(settings)
            #expect(check.outcome == outcome, "\(check)")
            #expect(check.message.contains(words), "\(check)")
        }
    }

    @Test(
        "a gateway of the API, by its state",
        arguments: [
            (#"{"state":"online","clock":"synced"}"#, Check.Outcome.ok, "online"),
            (#"{"state":"unsynced","clock":"unsynced"}"#, .warning, "timedatectl"),
            (#"{"state":"refused","clock":"synced"}"#, .warning, "sightline status s/e"),
            (#"{"state":"degraded","clock":null}"#, .warning, "sightline doctor"),
            (#"{"state":"deaf","clock":null}"#, .wrong, "sightline doctor"),
            (#"{"state":"silent","clock":null}"#, .wrong, "sightline doctor"),
            (#"{"state":"offline","clock":null}"#, .wrong, "offline"),
            (#"{"state":"unknown","clock":null}"#, .wrong, "nothing of it"),
            ("null", .wrong, "nothing of it"),
        ])
    func gateway(json: String, outcome: Check.Outcome, words: String) throws {
        let check = Check.gateway("s/e", try JSON(parsing: Array(json.utf8), maxBytes: 1000))
        #expect(check.outcome == outcome)
        #expect(check.message.contains(words))
        #expect(Check.unused("s/e").outcome == .warning)
    }

    @Test("another server of this name is found")
    func session() {
        let online = Array(#"{"v":1,"state":"online"}"#.utf8)
        let offline = Array(#"{"v":1,"state":"offline"}"#.utf8)
        #expect(Check.session(nil, hasRival: false, "a").outcome == .ok)
        #expect(Check.session(offline, hasRival: false, "a").outcome == .ok)
        #expect(Check.session(online, hasRival: false, "a").outcome == .warning)
        #expect(Check.session(nil, hasRival: true, "a").outcome == .wrong)
    }

    @Test("a tokens file that others can read is a warning, a faulty one is wrong")
    func tokens() {
        let digest = String(repeating: "0", count: 64)
        let file = #"{"tokens": [{"name": "wall", "sha256": "\#(digest)", "scope": "read"}]}"#
        #expect(Check.tokens("t", Array(file.utf8), mode: 0o100640).outcome == .ok)
        #expect(Check.tokens("t", Array(file.utf8), mode: 0o100644).outcome == .warning)
        #expect(Check.tokens("t", Array(#"{"tokens": 1}"#.utf8), mode: 0o100640).outcome == .wrong)
    }

    @Test("an answer of the server: status and the sentence of a problem")
    func answer() throws {
        let text = """
            HTTP/1.1 503 Service Unavailable\r\nContent-Length: 31\r\n\r\n{"detail":"It does not store."}
            """
        let answer = try #require(ServerPage.Answer(Array(text.utf8)))
        #expect(answer.status == 503)
        #expect(answer.detail == "It does not store.")
        #expect(Check.health(answer, Self.everywhere).message.contains("does not store"))
        let locked = ServerPage.Answer(status: 401, body: [])
        #expect(Check.health(locked, Self.everywhere).outcome == .skipped)
        #expect(ServerPage.Answer(Array("HTTP/1.1 200 OK\r\n".utf8)) == nil)
        #expect(ServerPage.Answer([]) == nil)
    }

    private func examine(
        _ folder: TemporaryFolder, broker port: UInt16, listen: String, more: String = ""
    ) throws -> [String: [Check]] {
        let file = try folder.write(
            """
            {"mqtt": {"host": "127.0.0.1", "port": \(port)}, "stateDirectory": "\(folder.file("state"))",
             "http": {"listen": "\(listen)"}, \(more)
             "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """, to: "server.json")
        var checks: [Check] = []
        ServerDoctor(file, StoreEngines(SQLiteEngine()), isIsolated: false) { checks.append($0) }
            .examine()
        return Dictionary(grouping: checks, by: \.name)
    }

    @Test(
        "at a broker: rights, gateways that are online and missing, an address that is taken",
        .enabled(if: Broker.isInstalled, Comment(rawValue: Broker.howToInstall)))
    func broker() throws {
        let folder = try TemporaryFolder()
        let broker = try Broker()
        let status =
            #"{"v":1,"state":"online","session":"0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10","at":1780000000000,"version":"0.1.0","clock":"synced"}"#
        try Tool.run(
            "mosquitto_pub",
            ["-p", "\(broker.port)", "-r", "-t", "sightline/v1/s/e/status", "-m", status])
        let socket = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        let taken = try Sockets.port(of: socket)
        let checks = try examine(folder, broker: broker.port, listen: "127.0.0.1:\(taken)")
        #expect(checks["login"]?.map(\.outcome) == [.ok])
        #expect(checks["subscribe"]?.allSatisfy { $0.outcome == .ok } == true)
        #expect(
            checks["subscribe"]?.contains { $0.message.contains("s/queues/+/served") } == true)
        let retained = checks["subscribe"]?.filter { $0.message.contains("a message is retained") }
        #expect(retained?.count == 1 && retained?[0].message.contains("s/+/status") == true)
        #expect(checks["publish"]?.count == 4)
        #expect(checks["publish"]?.allSatisfy { $0.outcome == .ok } == true)
        let gateways = checks["gateway"] ?? []
        #expect(gateways.map(\.outcome) == [.ok, .wrong], "\(gateways)")
        #expect(checks["page"]?.map(\.outcome) == [.wrong])
        #expect(checks["store"]?.map(\.outcome) == [.ok])
        #expect(checks["state"]?.map(\.outcome) == [.ok])
        _ = consume socket
    }

    @Test("faults of the configuration skip all else")
    func configuration() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("{}", to: "server.json")
        var checks: [Check] = []
        ServerDoctor(file, StoreEngines(SQLiteEngine()), isIsolated: false) { checks.append($0) }
            .examine()
        #expect(checks.first?.outcome == .wrong)
        #expect(checks.last?.outcome == .skipped)
        #expect(
            SightlineServer.main(
                ["doctor", "--config", file], engines: StoreEngines(SQLiteEngine())) == 1)
        #expect(
            SightlineServer.main(["doctor", "--nothing"], engines: StoreEngines(SQLiteEngine()))
                == 2)
    }

    @Test(
        "with Home Assistant, the topic of its documents is checked too",
        .enabled(if: Broker.isInstalled, Comment(rawValue: Broker.howToInstall)))
    func home() throws {
        var options = Broker.Options()
        options.access = ["topic readwrite sightline/#"]
        let broker = try Broker(options)
        let folder = try TemporaryFolder()
        let checks = try examine(
            folder, broker: broker.port, listen: "unix:\(folder.file("http"))",
            more: #""homeAssistant": {},"#)
        let wrong = checks["publish"]?.filter { $0.outcome == .wrong } ?? []
        #expect(checks["publish"]?.count == 5)
        #expect(wrong.count == 1)
        #expect(
            wrong.first?.message.hasPrefix("homeassistant/device/_queues/s_-q/config: ") == true)
    }

    @Test("the folder of a Unix socket that does not exist is named")
    func socketFolder() throws {
        let folder = try TemporaryFolder()
        let port = try Ports.free()
        let checks = try examine(
            folder, broker: port, listen: "unix:\(folder.file("nope/http"))")
        #expect(checks["page"]?.map(\.outcome) == [.wrong])
        #expect(
            checks["page"]?.first?.message.contains(
                "the folder \(folder.file("nope")) does not exist") == true)
        #expect(ListenAddress.unix(path: "/run/sightline-server/http.sock").fault == nil)
    }

    @Test("a key of a day that is over is a warning, beside a running server it is wrong")
    func keys() throws {
        let folder = try TemporaryFolder()
        let keys = KeyFolder(path: folder.path)
        // 2026-11-22 12:00 UTC.
        let noon: UnixTime = 1_795_348_800_000
        let end = LocalDay(containing: noon).span.upperBound
        let key = [UInt8](repeating: 7, count: DayKey.length)
        try keys.write(key, DayKey.Name(site: "gone", day: "2026-11-22"))
        for seconds in [0, 659] {
            let check = Check.keys(keys, at: end + .seconds(seconds), isRunning: true)
            #expect(check.outcome == .ok)
        }
        let refuge = Check.keys(keys, isRefuge: true, at: noon, isRunning: true)
        #expect(refuge.outcome == .warning)
        #expect(refuge.message.contains("1 key that the disk does not take"))
        for (isRunning, outcome) in [(false, Check.Outcome.warning), (true, .wrong)] {
            let check = Check.keys(keys, at: end + .seconds(660), isRunning: isRunning)
            #expect(check.outcome == outcome)
            #expect(check.message.contains("gone@2026-11-22.key"))
        }
    }

    @Test("a key with a wrong checksum is wrong")
    func damagedKey() throws {
        let folder = try TemporaryFolder()
        let keys = KeyFolder(path: folder.path)
        let name = DayKey.Name(site: "s", day: "2026-11-22")
        try keys.write([UInt8](repeating: 7, count: DayKey.length), name)
        var bytes = try File.contents(of: keys.path(of: name), maxBytes: 100)
        bytes[3] ^= 1
        try File.replace(keys.path(of: name), with: bytes)
        for isRunning in [true, false] {
            let check = Check.keys(keys, at: 1_795_348_800_000, isRunning: isRunning)
            #expect(check.outcome == .wrong)
            #expect(check.message.contains("s@2026-11-22.key: its checksum is wrong"))
        }
    }

    @Test("a damaged store is wrong, one that was set aside is a warning")
    func store() throws {
        let folder = try TemporaryFolder()
        try File.makeFolders(folder.file("state"))
        let path = try folder.write("no database at all", to: "state/server.sqlite")
        let closed = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        let port = try Sockets.port(of: closed)
        closed.close()
        let checks = try examine(folder, broker: port, listen: "127.0.0.1:\(port)")
        #expect(checks["store"]?.map(\.outcome) == [.wrong])
        #expect(checks["port"]?.map(\.outcome) == [.wrong])
        #expect(checks["gateway"]?.map(\.outcome) == [.skipped])
        #expect(checks["page"]?.map(\.outcome) == [.ok])
        try File.remove(path)
        let store = SQLiteStore(path: path, at: .now) { $0.first ?? [] }
        store.close()
        try folder.write("", to: "state/server.sqlite.damaged-20261122T140000Z")
        #expect(
            try examine(folder, broker: port, listen: "127.0.0.1:\(port)")["store"]?
                .map(\.outcome) == [.warning])
    }
}
