import Contract
import HTTP
import Logging
import MQTT
import Posix
import Primitives
import ResultStore
import Results
import StoreSQLite
import Testing

@testable import Server

@Suite("messages of gateways")
struct IngestTests {
    /// What becomes of messages, each with its topic.
    private static func counts(
        _ messages: [(topic: String, text: String)]
    ) throws -> [StoreBatch.Counter: Int64] {
        let files = try QueueServer()
        let store = files.store()
        defer { store.close() }
        let state = ServerState(
            session: .begin(), sites: [try files.site(store)], store: store)
        var ingest = Ingest(
            root: "sightline/v1", results: ResultTopics(root: "sightline/results/v1"),
            log: Log(level: .error))
        for (topic, text) in messages {
            ingest.on(Message(topic: topic, payload: Array(text.utf8)), state, at: .now)
        }
        return state.counts.all
    }

    @Test(
        "a message that breaks the contract is counted, on each topic of a gateway",
        arguments: ["sightings", "status", "health", "config/reported"])
    func invalid(topic: String) throws {
        let texts = ["", "{", "[]", #"{"v":"one"}"#]
        let counts = try Self.counts(texts.map { ("sightline/v1/s/e/\(topic)", $0) })
        #expect(counts == [StoreBatch.Counter(site: "s", gateway: "e", outcome: "invalid"): 4])
    }

    @Test("a message of a gateway or a queue with a forbidden name is counted")
    func nameless() throws {
        let long = String(repeating: "a", count: 65)
        let topics = [
            "sightline/v1/s/till 1/sightings", "sightline/v1/s//status", "sightline/v1/s/../health",
            "sightline/v1/s/\(long)/sightings", "sightline/results/v1/s/queues/q 1/served",
            "sightline/v1/t 1/e/sightings",
        ]
        let counts = try Self.counts(topics.map { ($0, "{}") })
        #expect(
            counts == [StoreBatch.Counter(site: "s", gateway: "others", outcome: "invalid"): 5])
    }

    @Test("a window of the future is counted, and hides none of the later windows of its gateway")
    func future() throws {
        let files = try QueueServer()
        let store = files.store()
        defer { store.close() }
        let site = try files.site(store)
        let state = ServerState(session: .begin(), sites: [site], store: store)
        var ingest = Ingest(
            root: "sightline/v1", results: ResultTopics(root: "sightline/results/v1"),
            log: Log(level: .error))
        let now = Instant.now
        site.onConnection(true, at: now)
        let second = Clocks.wall.milliseconds / 1000
        let windows = [second - 3, second + 3_000_000_000, second - 2, second - 1]
        for (index, start) in windows.enumerated() {
            let seq = index == 1 ? 100_000 : index
            let text = """
                {"v":1,"site":"s","gateway":"e","session":"a","seq":\(seq),\
                "window":{"start":\(start * 1000),"end":\(start * 1000 + 1000)},\
                "clock":"synced","radio":{"reports":0,"beacons":0,"filtered":0,"malformed":0,"implausible":0,"dropped":0},"sightings":[]}
                """
            ingest.on(
                Message(topic: "sightline/v1/s/e/sightings", payload: Array(text.utf8)), state,
                at: now + .seconds(Int64(index * 10)))
        }
        let counts = state.counts.all.filter { $0.key.gateway == "e" }
        #expect(Set(counts.map { "\($0.key.outcome) \($0.value)" }) == ["new 3", "future 1"])
        _ = site.tickGateways(at: now + .seconds(36), wall: UnixTime(second: second))
        #expect(site.gateways.conditions.first { $0.gateway == "e" }?.condition != .silent)
    }
}
