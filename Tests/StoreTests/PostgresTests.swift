import Facts
import Foundation
import Posix
import PostgreSQL
import Primitives
import TestSupport
import Testing

@testable import ResultStore
@testable import StorePostgres

@Suite(
    "store in PostgreSQL",
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresTests {
    private func database() throws -> (server: PostgresServer, settings: String) {
        let server = try PostgresServer.shared.get()
        return (server, try server.createDatabase())
    }

    private func store(
        _ settings: String, _ retention: StoreRetention = StoreRetention(), seconds: Int = 5
    ) -> PostgresStore {
        PostgresStore(
            settings, retention: retention, limit: .seconds(seconds), at: at(0), merge: addNumbers)
    }

    private func counted(_ numbers: Range<UInt64>) -> StoreBatch {
        var batch = batch(numbers)
        batch.counts = [.init(site: "store-1", gateway: "entry", outcome: "new"): 5]
        return batch
    }

    private static let endSessions =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid<>pg_backend_pid() "
        + "AND datname=current_database()"

    @Test("a session that the database has ended is made again, for a commit and for a read")
    func endedSession() throws {
        let (server, settings) = try database()
        let store = store(settings)
        defer { store.close() }
        #expect(store.commit(batch(0..<2), at: at(0)) == .durable)
        try server.query(Self.endSessions, in: settings)
        #expect(store.commit(counted(2..<3), at: at(1)) == .durable)
        try server.query(Self.endSessions, in: settings)
        #expect(try numbers(store) == [0, 1, 2])
        #expect(try store.counts().values.map(\.self) == [5])
        #expect(store.state == .durable)
        #expect(store.takeEvents().isEmpty)
    }

    @Test("while the database is away, commits are refused and reads fail; afterwards all goes on")
    func away() throws {
        let server = try PostgresServer()
        let settings = try server.createDatabase()
        let store = store(settings)
        defer { store.close() }
        #expect(store.commit(batch(0..<2), at: at(0)) == .durable)
        server.stop()
        #expect(store.commit(batch(2..<4), at: at(1)) == .refused)
        #expect(!store.isOpen)
        #expect(throws: StoreFailure.self) { try numbers(store) }
        guard case .unavailable(let reason, let next?) = store.state else {
            Issue.record("\(store.state)")
            return
        }
        #expect(reason.contains("PostgreSQL"))
        #expect(!store.retry(at: at(1)))
        try server.start()
        #expect(store.retry(at: next))
        #expect(store.commit(batch(2..<4), at: next) == .durable)
        #expect(try numbers(store) == [0, 1, 2, 3])
        let events = store.takeEvents()
        #expect(events.count == 2)
        #expect(events.last == .available)
    }

    /// A commit that waits for a standby is done, and its answer does not come.
    @Test("a commit whose answer is lost counts its messages once")
    func lostAnswer() throws {
        let server = try PostgresServer()
        let settings = try server.createDatabase()
        let store = store(settings, seconds: 1)
        defer { store.close() }
        #expect(store.commit(counted(0..<1), at: at(0)) == .durable)
        let admin = server.settings("postgres")
        try server.query("ALTER SYSTEM SET synchronous_standby_names='none'", in: admin)
        try server.query("SELECT pg_reload_conf()", in: admin)
        let isSet = Deadline.wait {
            (try? server.query("SHOW synchronous_standby_names", in: settings)) == ["none"]
        }
        #expect(isSet)
        // The server's own session reads its configuration before its next statement.
        _ = try store.counts()
        #expect(store.commit(counted(1..<2), at: at(1)) == .refused)
        try server.query("ALTER SYSTEM RESET synchronous_standby_names", in: admin)
        try server.query("SELECT pg_reload_conf()", in: admin)
        var now = at(10)
        let isBack = Deadline.wait {
            now = now + .seconds(60)
            return store.retry(at: now)
        }
        #expect(isBack)
        #expect(try numbers(store) == [0, 1])
        // The owner brings its rows and counts again, with new ones.
        var again = counted(1..<3)
        again.counts[.init(site: "store-1", gateway: "entry", outcome: "new")] = 7
        #expect(store.commit(again, at: now) == .durable)
        #expect(try store.counts().values.map(\.self) == [5 + 7])
        #expect(store.commit(counted(3..<4), at: now) == .durable)
        #expect(try store.counts().values.map(\.self) == [5 + 7 + 5])
        #expect(try numbers(store) == [0, 1, 2, 3])
    }

    @Test("one server writes to a database at a time; the next one goes on when it ends")
    func oneWriter() throws {
        let (_, settings) = try database()
        let first = store(settings)
        #expect(first.commit(batch(0..<2), at: at(0)) == .durable)
        let second = store(settings, seconds: 1)
        #expect(second.state.reason?.contains("another server") == true)
        #expect(second.commit(batch(2..<3), at: at(0)) == .refused)
        first.close()
        #expect(second.commit(batch(2..<3), at: at(100)) == .durable)
        #expect(try numbers(second) == [0, 1, 2])
        second.close()
    }

    @Test("tables of a newer version are refused")
    func newer() throws {
        let (server, settings) = try database()
        store(settings).close()
        try server.query("UPDATE store_state SET version=99", in: settings)
        let store = store(settings)
        guard case .refused(let reason) = store.state else {
            Issue.record("\(store.state)")
            return
        }
        #expect(reason.contains("version 99"))
        #expect(store.commit(batch(0..<1), at: at(100)) == .refused)
    }

    @Test("tables of each older version are migrated", arguments: 1..<StoreTable.newestVersion)
    func migration(version: Int) throws {
        let (server, settings) = try database()
        let steps = (1...version).flatMap { PostgresSchema.migration(to: $0) }
        for statement in [PostgresSchema.stateCreation] + steps {
            try server.query(statement, in: settings)
        }
        try server.query("INSERT INTO store_state VALUES(\(version),0,0)", in: settings)
        let columns = """
            SELECT table_name,column_name,data_type FROM information_schema.columns
            WHERE table_schema='public' ORDER BY 1,2
            """
        let migrated = store(settings)
        #expect(migrated.state == .durable)
        migrated.close()
        let other = try server.createDatabase()
        store(other).close()
        #expect(
            try server.query(columns, in: settings) == server.query(columns, in: other))
    }

    @Test("text that PostgreSQL can't have, long names and extreme times stop no commit")
    func hostile() throws {
        let (_, settings) = try database()
        let store = store(settings)
        defer { store.close() }
        let long = String(repeating: "€", count: 5000)
        var batch = StoreBatch()
        for (number, session) in ["a\0b", long, long + "x", "\u{feff}"].enumerated() {
            batch.add(
                fact(UInt64(number), start: Int64(number) * 1000, session: session),
                site: "store-1", gateway: "entry")
        }
        let starts: [Int64] = [.min, -1, 253_402_300_800_000, .max - 5000]
        for (number, start) in starts.enumerated() {
            let window = WindowFact(
                session: "s", numbers: UInt64(number)...UInt64(number),
                span: span(start..<start + 1000), readings: [])
            batch.add(window, site: "store-2", gateway: "entry")
        }
        batch.visits = [
            .init(
                site: "store-1", queue: "q\0", entered: 0, left: .max, tag: nil,
                document: [0xff, 0, 0x22])
        ]
        for _ in 0..<2 { #expect(store.commit(batch, at: at(0)) == .durable) }
        #expect(try numbers(store) == [0, 1, 2, 3])
        var found = 0
        let all = UnixTime.min..<UnixTime.max
        #expect(try store.facts(of: "store-2", in: all, limit: 9) { _, _ in found += 1 } == 0)
        #expect(found == 4)
    }

    @Test("days of facts are partitions, which retention drops; a reader delays only that")
    func partitions() throws {
        let (server, settings) = try database()
        let store = store(settings)
        defer { store.close() }
        let day: Int64 = 86_400_000
        func count() throws -> [String] {
            try server.query(
                "SELECT count(*) FROM pg_inherits WHERE inhparent='facts'::regclass", in: settings)
        }
        var batch = StoreBatch()
        for number in 0..<4 as Range<UInt64> {
            batch.add(
                fact(number, start: Int64(number) * day), site: "store-1", gateway: "entry")
        }
        #expect(store.commit(batch, at: at(0)) == .durable)
        #expect(try count() == ["4"])
        // As a backup does.
        let reader = try PostgresConnection(settings, limit: .seconds(30))
        try reader.run("BEGIN")
        try reader.run("LOCK TABLE facts IN ACCESS SHARE MODE")
        batch = StoreBatch()
        batch.add(fact(4, start: 4 * day), site: "store-1", gateway: "entry")
        #expect(store.commit(batch, at: at(0)) == .durable)
        func expire() {
            let wall = UnixTime(milliseconds: 3 * day + 1)
            while store.expire(at: at(0), wall: wall, day: wall) {}
        }
        expire()
        #expect(try numbers(store) == [3, 4])
        #expect(store.state == .durable)
        #expect(try count() == ["5"])
        reader.close()
        expire()
        #expect(try count() == ["3"])
        // A partition that was dropped is created again.
        batch = StoreBatch()
        batch.add(fact(0, start: 0), site: "store-1", gateway: "entry")
        #expect(store.commit(batch, at: at(0)) == .durable)
        #expect(try numbers(store) == [0, 3, 4])
    }

    @Test("tables above the size limit lose their oldest weeks of minutes")
    func size() throws {
        let (_, settings) = try database()
        let limit = 3 << 20
        let store = store(settings, StoreRetention(maxBytes: limit))
        defer { store.close() }
        let week: Int64 = 7 * 86_400_000
        for number in 0..<4 as Range<Int64> {
            var batch = StoreBatch()
            for index in 0..<2000 as Range<Int64> {
                let start = number * week + index * 60_000
                let minute = minute(start, day: start..<start + 60_000, value: 1)
                batch.minutes.append(
                    .init(
                        site: minute.site, queue: minute.queue, start: minute.start,
                        end: minute.end, day: minute.day, rev: 1, isFinal: true,
                        document: Array(repeating: UInt8(ascii: "x"), count: 480), mark: [1],
                        summary: minute.summary))
            }
            #expect(store.commit(batch, at: at(0)) == .durable)
        }
        let wall = UnixTime(milliseconds: 4 * week)
        while store.expire(at: at(0), wall: wall, day: wall) {}
        let minutes = try store.minutes(of: "checkout", at: "store-1", in: 0..<UnixTime.max)
        #expect(minutes.first?.start.milliseconds ?? 0 >= week)
        #expect(minutes.last?.start.milliseconds == 3 * week + 1999 * 60_000)
    }

    @Test("a fault of a connection string names no part of a password")
    func faults() {
        #expect(PostgresEngine("service=sightline").fault == nil)
        #expect(
            PostgresEngine("postgresql://db.example/sightline?sslmode=verify-full").fault == nil)
        for text in [
            "host=a password=sesame", "postgresql://a:sesame@b/c", "sesame", "passwd=sesame",
            "host=a password='sesame",
        ] {
            let fault = PostgresEngine(text).fault
            #expect(fault != nil)
            #expect(fault?.contains("sesame") == false)
        }
    }
}
