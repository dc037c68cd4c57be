import Contract
import Facts
import Logging
import MQTT
import Posix
import Primitives
import ResultStore
import Results
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("a time that one gateway has moved by 29 days")
struct DoubtfulTimeTests {
    private let server: QueueServer
    private let store: SQLiteStore
    private let keys: DayKeys
    private let state: ServerState
    private let now = Instant.now
    private let noon = UnixTime(milliseconds: QueueServer.noon)
    private var future: UnixTime { noon + .seconds(29 * 86_400) }

    init() throws {
        server = try QueueServer()
        store = server.store()
        keys = DayKeys(folder: server.folder.file("keys"))
        // The site has gone to the day of that time.
        let wall = noon + .seconds(29 * 86_400)
        state = ServerState(
            session: .begin(),
            sites: [try recovered(server.configuration, store, keys: keys, wall: wall)],
            store: store,
            clock: ServerClock(
                wall: QueueServer.instant(noon - .seconds(100)), isDisciplined: false, at: now))
        for end in [wall, wall + .seconds(31)] {
            state.clock.on(end: end, from: "e", of: 2, at: now + (end - wall))
        }
        try #require(state.certainty == .doubtful)
    }

    private func window(at start: UnixTime, number: Int64? = nil) -> Message {
        let number = number ?? start.milliseconds / 1000
        let text = """
            {"v":1,"site":"s","gateway":"t","session":"a","seq":\(number),\
            "window":{"start":\(start.milliseconds),"end":\(start.milliseconds + 1000)},"clock":"synced",\
            "radio":{"reports":0,"beacons":0,"filtered":0,"malformed":0,"implausible":0,"dropped":0},"sightings":[\
            {"type":"ibeacon","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":1,"minor":1,\
            "measuredPower":-59,"count":3,"rssi":{"min":-82,"max":-79,"mean":-80,"stddev":1,"last":-82},\
            "power":{"mean":-80,"centroid":500},"firstSeen":0,"lastSeen":900,"maxAt":0,"senders":1}]}
            """
        return Message(topic: "sightline/v1/s/t/sightings", payload: Array(text.utf8))
    }

    /// What becomes of a window at a site; its facts are stored.
    private func deliver(_ message: Message, at now: Instant) -> [StoreBatch.Counter: Int64] {
        var ingest = Ingest(
            root: "sightline/v1", results: ResultTopics(root: "sightline/results/v1"),
            log: Log(level: .error))
        let before = state.counts.all
        ingest.on(message, state, at: now)
        #expect(store.commit(ingest.takeBatch(), at: now) == .durable)
        return state.counts.all.filter { $0.value != before[$0.key] }
    }

    @Test(
        "a window of an earlier day is stored with the pseudonyms of its day, and counts after the correction"
    )
    func kept() throws {
        defer { store.close() }
        let counts = deliver(window(at: noon), at: now)
        #expect(counts.keys.map(\.outcome) == ["new"])
        var stored: [WindowFact] = []
        _ = try store.facts(of: "s", in: 0..<UnixTime.max) { stored.append($1) }
        // The server's time goes back to noon, and the site to its day.
        let site = try recovered(
            server.configuration, store, keys: keys, wall: noon + .seconds(60))
        state.replace([site])
        #expect(site.today.day == LocalDay(containing: noon))
        #expect(site.take(try #require(stored.first), from: "t") == .repeated)
        let later = deliver(window(at: noon + .seconds(1)), at: now)
        #expect(later.keys.map(\.outcome) == ["new"])
        stored = []
        _ = try store.facts(of: "s", in: 0..<UnixTime.max) { stored.append($1) }
        let tags = stored.flatMap { $0.readings.map(\.tag) }
        #expect(tags.count > 1 && Set(tags).count == 1)
    }

    @Test("a late window that is kept counts once, also before its commit")
    func repeated() throws {
        defer { store.close() }
        #expect(deliver(window(at: noon), at: now).keys.map(\.outcome) == ["new"])
        #expect(deliver(window(at: noon), at: now).keys.map(\.outcome) == ["repeated"])
        var ingest = Ingest(
            root: "sightline/v1", results: ResultTopics(root: "sightline/results/v1"),
            log: Log(level: .error))
        for _ in 0..<3 { ingest.on(window(at: noon + .seconds(1)), state, at: now) }
        let counts = state.counts.all.map { "\($0.key.outcome) \($0.value)" }
        #expect(counts.sorted() == ["new 2", "repeated 3"])
    }

    @Test("a second has a bounded number of late windows, also in the store")
    func crowded() throws {
        defer { store.close() }
        let most = Int64(GatewayTimeline.mostOfSecond)
        var ingest = Ingest(
            root: "sightline/v1", results: ResultTopics(root: "sightline/results/v1"),
            log: Log(level: .error))
        for number in 0..<most + 10 {
            ingest.on(
                window(at: noon + .milliseconds(Int(number % 10)), number: number), state, at: now)
            guard number == most / 2 else { continue }
            #expect(store.commit(ingest.takeBatch(), at: now) == .durable)
        }
        ingest.on(window(at: noon, number: 0), state, at: now)
        ingest.on(window(at: noon + .seconds(1)), state, at: now)
        let counts = state.counts.all.map { "\($0.key.outcome) \($0.value)" }
        #expect(counts.sorted() == ["excess 10", "new \(most + 1)", "repeated 1"])
        #expect(store.commit(ingest.takeBatch(), at: now) == .durable)
        #expect(deliver(window(at: noon, number: most), at: now).keys.map(\.outcome) == ["excess"])
    }

    @Test("a window of more than 30 days before is late")
    func old() throws {
        defer { store.close() }
        let counts = deliver(window(at: noon - .seconds(2 * 86_400)), at: now)
        #expect(counts.keys.map(\.outcome) == ["late"])
    }

    @Test("no day is closed, no result is stored, and /healthz says why")
    func results() throws {
        defer { store.close() }
        let site = try server.site(store)
        state.replace([site])
        for second in 0..<600 as Range<Int64> {
            for gateway in ["e", "t"] { _ = site.take(QueueServer.window(second), from: gateway) }
        }
        site.onConnection(true, at: now - .seconds(60))
        var folding = FoldingTurns(log: Log(level: .error))
        for _ in 0..<200 { folding.tick(state, isPartial: false) }
        #expect(site.today.day == LocalDay(containing: noon))
        #expect(folding.uncommitted.isEmpty)
        #expect(state.faults.contains { $0.contains("the server's time") })
    }

    @Test("windows of the time that was wrong do not count after the correction")
    func lies() throws {
        defer { store.close() }
        var batch = StoreBatch()
        for second in [0, 7200] as [Int64] {
            batch.add(QueueServer.window(second), site: "s", gateway: "e")
        }
        #expect(store.commit(batch, at: now) == .durable)
        let site = try recovered(server.configuration, store, keys: keys, wall: noon + .seconds(60))
        #expect(site.today.estimator.newest == noon + .seconds(1))
    }
}

extension QueueServer {
    static func instant(_ time: UnixTime) -> Instant {
        Instant(microseconds: time.milliseconds * 1000)
    }
}
