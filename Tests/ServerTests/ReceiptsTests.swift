import Contract
import Facts
import JSON
import Logging
import MQTT
import Posix
import Primitives
import Queueing
import ResultStore
import Results
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("receipts of tills")
struct ReceiptsTests {
    private let noon = QueueServer.noon
    private let files: QueueServer

    init() throws { files = try QueueServer(#", "coverage": {"percent": 50}"#) }

    private func ingest() -> Ingest {
        Ingest(root: Topics.usualRoot, results: ResultTopics(), log: Log(level: .error))
    }

    /// Until the receipts can be compared: visits of their time are judged twelve minutes later at most.
    private static let seconds = 1000

    /// Windows in which nobody is heard: known times.
    private func addWindows(_ site: Site, to batch: inout StoreBatch) {
        for second in 0..<Self.seconds {
            let start = UnixTime(milliseconds: noon + Int64(second) * 1000)
            for gateway in ["e", "t"] {
                let fact = WindowFact(
                    session: gateway, numbers: UInt64(second)...UInt64(second),
                    span: start..<start + .seconds(1), readings: [])
                #expect(site.take(fact, from: gateway) == .new)
                batch.add(fact, site: "s", gateway: gateway)
            }
        }
    }

    private func receipt(_ till: String, _ count: Int, at second: Int64) -> Message {
        let text = #"{"v":1,"till":"\#(till)","count":\#(count),"at":\#(noon + second * 1000)}"#
        return Message(
            topic: "sightline/results/v1/s/queues/q/served", payload: Array(text.utf8))
    }

    private func coverage(_ site: Site) -> JSON? {
        _ = site.advanceWholly(through: UnixSecond(noon / 1000 + Int64(Self.seconds)))
        _ = site.dueStates(isDurable: true, at: .now)
        return site.states.document("q")?["coverage"]
    }

    @Test("the coverage follows from receipts, and is the same after a restart")
    func restart() throws {
        let first = files.store()
        let site = try files.site(first)
        let state = ServerState(session: .begin(), sites: [site], store: first)
        var ingest = ingest()
        for (second, count) in [(30, 90), (90, 30), (150, 30), (210, 40)] {
            ingest.on(receipt("t", count, at: Int64(second)), state, at: .now)
        }
        var batch = ingest.takeBatch()
        addWindows(site, to: &batch)
        #expect(first.commit(batch, at: .now) == .durable)
        let before = coverage(site)
        #expect(before?["source"] == "receipts")
        // 100 people without a tag, after a prior of 50 people of whom half have one: 25 of 150. Some tags are missed.
        guard case .number(let percent)? = before?["percent"] else {
            Issue.record("no percent: \(String(describing: before))")
            return
        }
        #expect((16...19).contains(percent))
        first.close()

        let second = files.store()
        defer { second.close() }
        let again = try recovered(
            files.configuration, second, keys: DayKeys(folder: files.folder.file("keys")),
            wall: UnixTime(milliseconds: QueueServer.noon) + .seconds(3600))
        #expect(coverage(again) == before)
    }

    @Test("without receipts, the coverage is the configured one")
    func configured() throws {
        let store = files.store()
        defer { store.close() }
        let site = try files.site(store)
        var batch = StoreBatch()
        addWindows(site, to: &batch)
        #expect(coverage(site)?["source"] == "configured")
    }

    @Test("each receipt has an outcome, and only new ones are stored")
    func outcomes() throws {
        let store = files.store()
        defer { store.close() }
        let site = try files.site(store)
        let state = ServerState(session: .begin(), sites: [site], store: store)
        var ingest = ingest()
        let future = (Clocks.wall.milliseconds - noon) / 1000 + 3600
        let day = site.today.day.span
        let messages = [
            receipt("t", 3, at: 30), receipt("t", 3, at: 30), receipt("x", 3, at: 30),
            receipt("t", -1, at: 30), receipt("t", 3, at: future),
            receipt("t", 3, at: (day.lowerBound.milliseconds - noon) / 1000 - 1),
        ]
        for message in messages { ingest.on(message, state, at: .now) }
        for outcome in ["new", "repeated", "foreign", "invalid", "future", "late"] {
            let counter = StoreBatch.Counter(site: "s", gateway: "q/served", outcome: outcome)
            #expect(state.counts.all[counter] == 1, "\(outcome)")
        }
        #expect(store.commit(ingest.takeBatch(), at: .now) == .durable)
        let stored = try store.receipts(of: "q", at: "s", in: 0..<UnixTime.max)
        #expect(stored == [Receipt(till: "t", count: 3, at: UnixSecond(noon / 1000 + 30))])
    }

    @Test("a receipt of the future is counted, and holds up no other message")
    func future() throws {
        let store = files.store()
        defer { store.close() }
        let now = Instant.now
        let start = UnixTime(milliseconds: noon)
        let state = ServerState(
            session: .begin(), sites: [try files.site(store)], store: store,
            clock: ServerClock(wall: QueueServer.instant(start), isDisciplined: false, at: now))
        var ingest = ingest()
        ingest.on(receipt("t", 3, at: 7200), state, at: now)
        ingest.on(receipt("t", 4, at: 30), state, at: now)
        #expect(ingest.takeUndecided() == nil)
        for outcome in ["future", "new"] {
            let counter = StoreBatch.Counter(site: "s", gateway: "q/served", outcome: outcome)
            #expect(state.counts.all[counter] == 1, "\(outcome)")
        }
        // Nor does it begin the half minute in which windows of the future are undecided.
        let judgement = state.clock.judge(end: start + .seconds(7200), at: now + .seconds(29))
        #expect(judgement == .undecided)
        // Once the clock has the time of the till, the same receipt is new.
        for gateway in ["e", "t"] {
            state.clock.on(
                end: start + .seconds(7200), from: gateway, of: 2, at: now + .seconds(2))
        }
        ingest.on(receipt("t", 3, at: 7200), state, at: now + .seconds(3))
        let counter = StoreBatch.Counter(site: "s", gateway: "q/served", outcome: "new")
        #expect(state.counts.all[counter] == 2)
    }

    @Test("the log names a reason for an interruption once a minute")
    func interruptions() {
        var connections = BriefConnections()
        let now = Instant.now
        let logged = ([0, 2, 4, 28, 30, 90] as [Int64]).filter {
            connections.isNew(.clock, at: now + .seconds($0))
        }
        #expect(logged == [0, 90])
        let isNew = connections.isNew(.closing, at: now + .seconds(91))
        #expect(isNew, "another reason")
    }

    @Test("the larger one of two counts of one second is stored")
    func contradiction() throws {
        let store = files.store()
        defer { store.close() }
        let site = try files.site(store)
        let state = ServerState(session: .begin(), sites: [site], store: store)
        var ingest = ingest()
        for count in [3, 5, 4] {
            ingest.on(receipt("t", count, at: 30), state, at: .now)
            #expect(store.commit(ingest.takeBatch(), at: .now) == .durable)
        }
        let stored = try store.receipts(of: "q", at: "s", in: 0..<UnixTime.max)
        #expect(stored.map(\.count) == [5])
    }

    @Test("a receipt of the next day waits for it")
    func early() throws {
        let store = files.store()
        defer { store.close() }
        let site = try files.site(store)
        let end = site.today.day.span.upperBound
        let receipt = Receipt(till: "t", count: 3, at: UnixSecond(containing: end))
        #expect(site.take(receipt, queue: "q") == .new)
        #expect(site.take(receipt, queue: "q") == .repeated)
        _ = site.closeWholeDay(wall: end + .seconds(60))
        #expect(site.take(receipt, queue: "q") == .repeated)
    }

    @Test("the server subscribes to the receipts of its sites")
    func subscription() {
        let filters = Ingest.filters(root: "a", results: ResultTopics(root: "b/c"), site: "s")
        #expect(filters.contains("b/c/s/queues/+/served"))
    }
}
