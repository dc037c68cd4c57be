import Facts
import Foundation
import Posix
import Primitives
import Queueing
import SQLite
import TestSupport
import TestVectors
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("privacy of the store")
struct StorePrivacyTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }
    private let uuid = (0..<16).map { UInt8($0 * 17) }
    private let text = "00112233-4455-6677-8899-aabbccddeeff"

    init() throws { folder = try TemporaryFolder() }

    private func scan(_ needles: [PrivacyScan.Needle]? = nil) -> PrivacyScan.Result {
        PrivacyScan.run(
            folders: [folder.path], store: path, of: SQLiteEngine(),
            for: needles ?? PrivacyScan.Needle.forms(uuid: uuid, major: 1, minor: 2))
    }

    private func store(_ readings: [Reading] = [], document: [UInt8] = []) -> SQLiteStore {
        let store = SQLiteStore(path: path, at: at(0), merge: addNumbers)
        var batch = StoreBatch()
        batch.add(fact(1, start: 0, readings: readings), site: "store-1", gateway: "entry")
        batch.visits = [
            .init(
                site: "store-1", queue: "q", entered: 0, left: 5,
                tag: Tag(rawValue: 0x0102_0304_0506_0708), document: document)
        ]
        #expect(store.commit(batch, at: at(0)) == .durable)
        return store
    }

    private func reading(_ tag: UInt64) -> Reading {
        Reading(tag: Tag(rawValue: tag), power: -60, count: 1, seen: 0...5, senders: 1)
    }

    @Test("a store without the identity: nothing is found, and everything was read")
    func absent() throws {
        let store = store([reading(1)], document: Array("{}".utf8))
        let result = scan()
        #expect(result.matches.isEmpty)
        #expect(result.unread.isEmpty)
        #expect(result.files >= 2)
        // A site, a queue, a source, a fact, a visit.
        #expect(result.rows == 5)
        #expect(result.bytes > 4096)
        store.close()
    }

    @Test(
        "every form of the identity is found, with its place",
        arguments: [
            "bytes", "reverse", "hexadecimal", "TEXT", "name",
        ])
    func planted(form: String) throws {
        let content: [UInt8] =
            switch form {
            case "bytes": uuid
            case "reverse": uuid.reversed()
            case "hexadecimal": Array(text.filter { $0 != "-" }.utf8)
            default: Array(text.uppercased().utf8)
            }
        // Across two pieces of reading.
        let bytes = [UInt8](repeating: 7, count: 1 << 20 - 5) + content
        let name = form == "name" ? "keys/\(text).txt" : "keys/file"
        try FileManager.default.createDirectory(
            atPath: folder.file("keys"), withIntermediateDirectories: true)
        try Data(form == "name" ? [] : bytes).write(to: URL(fileURLWithPath: folder.file(name)))
        let places = scan().matches.map(\.place)
        #expect(places.contains { $0.contains(name) })
        #expect(form == "name" || places.contains { $0.hasSuffix("byte \((1 << 20) - 5)") })
    }

    @Test("an identity in a long row is found in its table, also while the server runs")
    func longRow() throws {
        // The row continues in further pages.
        let document = Array(String(repeating: "x", count: 9000).utf8) + Array(text.utf8)
        let store = store(document: document + Array(repeating: 0x79, count: 3000))
        #expect(
            scan().matches.contains {
                $0.place == "table visits, row 1" && $0.needle == "UUID as text"
            })
        store.close()
    }

    @Test("a tag is found in facts and visits until they are removed")
    func tags() throws {
        let store = store([reading(0x1122_3344_5566_7788), reading(3)])
        let fact = PrivacyScan.Needle.forms(tag: Tag(rawValue: 0x1122_3344_5566_7788), name: "tag")
        #expect(scan(fact).matches.contains { $0.place.hasPrefix("table facts") })
        let visit = PrivacyScan.Needle.forms(tag: Tag(rawValue: 0x0102_0304_0506_0708), name: "tag")
        #expect(scan(visit).matches.contains { $0.place.hasPrefix("table visits") })
        let late = UnixTime(milliseconds: 1 << 41)
        while store.expire(at: at(0), wall: late, day: late) {}
        store.forget()
        #expect(scan(fact + visit).matches.isEmpty)
        store.close()
    }

    @Test("files that can't be read are named", .enabled(if: getuid() != 0))
    func unreadable() throws {
        let file = try folder.write("", to: "closed")
        chmod(file, 0)
        #expect(scan().unread.contains { $0.hasPrefix(file) })
    }

    @Test("the inventory counts rows and their times", arguments: TestEngine.available)
    func inventory(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        let store = place.open()
        defer { store.close() }
        var batch = StoreBatch()
        batch.add(fact(1, start: 0), site: "store-1", gateway: "entry")
        batch.visits = [
            .init(site: "store-1", queue: "q", entered: 0, left: 5, tag: nil, document: [])
        ]
        #expect(store.commit(batch, at: at(0)) == .durable)
        #expect(place.engine.exists(at: place.path))
        let inventory = try place.engine.inventory(of: place.path)
        let facts = try #require(inventory.tables.first { $0.name == "facts" })
        let windows = "windows of gateways with pseudonyms"
        #expect(
            facts
                == .init(
                    name: "facts", content: windows, kept: .evidence, rows: 1, times: 0...0))
        #expect(inventory.tables.first { $0.name == "visits" }?.times == 5...5)
        let sources = try #require(inventory.tables.first { $0.name == "sources" })
        #expect(
            sources
                == .init(
                    name: "sources", content: "sessions of gateways", kept: .sessions, rows: 1,
                    times: nil))
        #expect(inventory.tables.count == 17)
        #expect(inventory.files.first { $0.path == place.path }?.bytes ?? 0 > 0)
        var seen: [String: Int] = [:]
        try place.engine.rows(of: place.path) { table, _, values in
            if table == "facts" { #expect(values.contains(fact(1, start: 0).stored)) }
            seen[table, default: 0] += 1
        }
        #expect(seen.filter { $0.key != "store_state" }.values.allSatisfy { $0 == 1 })
        #expect(seen.filter { $0.key != "store_state" }.count == 5)
    }

    @Test("the inventory names set-aside files")
    func setAside() throws {
        let store = store()
        try folder.write("", to: "store.sqlite.damaged-20261122T140000Z")
        let inventory = try SQLiteEngine().inventory(of: path)
        #expect(inventory.files.contains { $0.path.contains(".damaged-") })
        store.close()
    }
}
