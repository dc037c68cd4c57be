import Beacons
import Contract
import JSON
import Logging
import MQTT
import Posix
import Primitives
import Queueing
import ResultStore
import Results
import ServerConfiguration
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("sightline-server privacy")
struct PrivacyTests {
    private let folder: TemporaryFolder
    private let file: String
    private let staff = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"
    private let visitor = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

    init() throws {
        folder = try TemporaryFolder()
        file = try folder.write(
            """
            {"mqtt": {"host": "b"}, "stateDirectory": "\(folder.file("state"))",
             "sites": [{"site": "s", "beacons": {"staff": [{"uuid": "\(staff)"}]},
             "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """, to: "server.json")
        try File.makeFolders(folder.file("state"))
    }

    /// Stores a message in which a gateway hears a visitor and a member of the staff.
    private func store() throws {
        let configuration = try ServerConfiguration.load(path: file)
        let now = Instant.now
        let state = folder.file("state")
        let log = Log(level: .error)
        let store = SQLiteStore(
            path: SQLiteEngine().place(in: state), at: now, merge: PeriodSummary.merged)
        defer { store.close() }
        let wall = UnixTime.now
        let keys = DayKeys(folder: state + "/" + SightlineServer.keysName)
        let site = try recovered(configuration, store, keys: keys, wall: wall)
        let server = ServerState(session: .begin(), sites: [site], store: store)
        var ingest = Ingest(
            root: configuration.topicRoot, results: ResultTopics(root: configuration.resultsRoot),
            log: log)
        let message = Message(
            topic: "sightline/v1/s/e/sightings",
            payload: payload(at: wall.milliseconds / 1000 * 1000 - 5000))
        ingest.on(message, server, at: now)
        let outcome = store.commit(ingest.takeBatch(), at: now)
        #expect(outcome == .durable)
    }

    private func payload(at start: Int64) -> [UInt8] {
        let sightings = [visitor, staff].map { uuid in
            """
            {"type":"ibeacon","uuid":"\(uuid)","major":42,"minor":7,"measuredPower":-59,"count":3,
             "rssi":{"min":-82,"max":-79,"mean":-80.33,"stddev":1.25,"last":-82},
             "power":{"mean":-80.16,"centroid":367},"firstSeen":105,"lastSeen":705,"maxAt":405,
             "senders":1}
            """
        }
        let text = """
            {"v":1,"site":"s","gateway":"e","session":"0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10",
             "seq":1,"window":{"start":\(start),"end":\(start + 1000)},"clock":"synced",
             "radio":{"reports":6,"beacons":6,"filtered":0,"malformed":0,"implausible":0,"dropped":0},
             "sightings":[\(sightings.joined(separator: ","))]}
            """
        return Array(text.utf8)
    }

    private func report(_ beacons: [String]) throws -> JSON {
        let configuration = try ServerConfiguration.load(path: file)
        let state = folder.file("state")
        let sought = SoughtBeacons(beacons.compactMap { BeaconIdentity($0) }, of: configuration)
        let store = SQLiteEngine().place(in: state)
        return try PrivacyReport(
            sought, configuration, folder: state, store: store, of: SQLiteEngine(),
            journal: folder.file("journal"),
            keys: (state + "/" + SightlineServer.keysName, folder.file("journal.keys"))
        ).json
    }

    private func elements(_ json: JSON?) -> [JSON] {
        guard case .array(let elements) = json else { return [] }
        return elements
    }

    @Test("the store has a visitor's pseudonym, no identity, and nothing of the staff")
    func clean() throws {
        try store()
        let json = try report(["\(visitor)/42/7", "\(staff)/42/7"])
        #expect(json["proved"] == true)
        let search = json["search"]
        #expect(search?["identities"] == 3)
        #expect(search?["found"] == [])
        #expect(search?["unread"] == [])
        let places = elements(search?["pseudonyms"]).compactMap { $0["place"] }
        #expect(places.contains { "\($0)".contains("table facts, row 1") })
        #expect(elements(try report(["\(staff)/42/7"])["search"]?["pseudonyms"]).isEmpty)
        #expect(elements(try report(["\(visitor)/42/8"])["search"]?["pseudonyms"]).isEmpty)
        #expect(elements(json["keys"]).count == 1)
        // A key that the disk did not take.
        let key = try #require(Folder.names(in: folder.file("state/keys")).first)
        try File.makeFolders(folder.file("journal.keys"))
        try File.rename(folder.file("state/keys/\(key)"), to: folder.file("journal.keys/\(key)"))
        let moved = try report(["\(visitor)/42/7"])
        #expect(elements(moved["keys"]).count == 1)
        #expect(elements(moved["search"]?["pseudonyms"]).count == places.count)
        #expect(
            SightlineServer.main(
                ["privacy", "--config", file], engines: StoreEngines(SQLiteEngine())) == 0)
    }

    @Test("an identity in a row, in a file or in a file's name is found, and the command fails")
    func planted() throws {
        try store()
        let state = folder.file("state")
        let store = SQLiteStore(
            path: SQLiteEngine().place(in: state), at: .now, merge: PeriodSummary.merged)
        var batch = StoreBatch()
        batch.levels = [.init(site: "s", day: 1, levels: Array("[\"\(visitor)\"]".utf8))]
        #expect(store.commit(batch, at: .now) == .durable)
        store.close()
        #expect(try report([])["proved"] == true)
        let json = try report(["\(visitor)/42/7"])
        #expect(json["proved"] == false)
        let places = elements(json["search"]?["found"]).compactMap { $0["place"] }
        #expect(places.contains { "\($0)".contains("table site_days") })
        let arguments = ["privacy", "--config", file, "--beacon", "\(visitor)/42/7"]
        #expect(SightlineServer.main(arguments, engines: StoreEngines(SQLiteEngine())) == 1)
        // The journal is outside of the state directory.
        let held = try report(["\(visitor)/42/8"])["search"]?["found"]
        try File.replace(folder.file("journal-wal"), with: Array(visitor.utf8))
        #expect(
            elements(try report(["\(visitor)/42/8"])["search"]?["found"]).count
                > elements(held).count)
        try File.remove(folder.file("journal-wal"))
        // The configuration's UUIDs are sought without --beacon.
        try File.replace(state + "/keys/\(staff)", with: [])
        #expect(try report([])["proved"] == false)
        #expect(
            SightlineServer.main(
                ["privacy", "--json", "--config", file], engines: StoreEngines(SQLiteEngine()))
                == 1)
    }

    @Test(
        "identities of other formats are found: by the namespace of the configuration, by --beacon",
        arguments: [
            ("edd1ebeac04e5defa017/00000000000a", "EDD1EBEAC04E5DEFA01700000000000a"),
            (
                "f7826da64fa24e988024bc5b71e0893f00010002",
                "f7826da6-4fa2-4e98-8024-bc5b71e0893f"
            ),
        ])
    func otherFormats(beacon: String, planted: String) throws {
        try store()
        #expect(try report([beacon])["proved"] == true)
        try File.replace(folder.file("state/notes"), with: Array(planted.utf8))
        #expect(try report([beacon])["proved"] == false)
        var configuration = try ServerConfiguration.load(path: file)
        configuration.sites[0].beacons.staff = [
            BeaconRange {
                $0.type = .eddystoneUID
                $0.namespace = ProximityUUID("edd1ebeac04e5defa017000000000000")
            }
        ]
        let needles = SoughtBeacons([], of: configuration).identities
        #expect(needles.contains { $0.name == "namespace as bytes" && $0.length == 10 })
    }

    @Test("a search says whose identities it sought")
    func sought() throws {
        let configuration = try ServerConfiguration.load(path: file)
        #expect(SoughtBeacons([], of: configuration).description == "1 UUID of the configuration")
        let beacon = try #require(BeaconIdentity("\(visitor)/42/7"))
        #expect(
            SoughtBeacons([beacon, beacon], of: configuration).description
                == "1 UUID of the configuration and 2 beacons of --beacon")
    }

    @Test("a damaged store that was set aside is listed, with the time that it stays")
    func setAside() throws {
        try store()
        try folder.write("", to: "state/server.sqlite.damaged-20261122T140212Z")
        let files = elements(try report([])["files"])
        let kept = files.compactMap { $0["kept"] }.filter { $0 != .null }
        #expect(kept == ["24 hours, and until its day is closed"])
    }

    @Test("each table of the store has a rule")
    func rules() throws {
        try store()
        let tables = elements(try report([])["tables"])
        #expect(tables.count == 17)
        #expect(tables.allSatisfy { $0["kept"] != "unknown" })
    }

    @Test(
        "wrong usage has exit code 2, a folder without a store 1",
        arguments: [
            (["--beacon", "42/7"], 2), (["--beacon", "x/1/70000"], 2), (["--nothing"], 2), ([], 1),
        ] as [([String], CInt)])
    func usage(arguments: [String], code: CInt) {
        #expect(
            SightlineServer.main(
                ["privacy", "--config", file] + arguments, engines: StoreEngines(SQLiteEngine()))
                == code)
    }
}
