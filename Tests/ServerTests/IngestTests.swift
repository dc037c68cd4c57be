import Contract
import HTTP
import Logging
import MQTT
import Posix
import Store
import Testing

@testable import Server

@Suite("messages of gateways")
struct IngestTests {
    @Test(
        "a message that breaks the contract is counted, on each topic of a gateway",
        arguments: ["sightings", "status", "health", "config/reported"])
    func invalid(topic: String) throws {
        let files = try QueueServer()
        let store = files.store()
        defer { store.close() }
        let state = ServerState(
            session: .begin(), sites: [try files.site(store)], store: store)
        var ingest = Ingest(
            root: "sightline/v1", results: ResultTopics(root: "sightline/results/v1"),
            log: Log(level: .error))
        for text in ["", "{", "[]", #"{"v":"one"}"#] {
            let message = Message(topic: "sightline/v1/s/e/\(topic)", payload: Array(text.utf8))
            ingest.on(message, state, at: .now)
        }
        let counter = StoreBatch.Counter(site: "s", gateway: "e", outcome: "invalid")
        #expect(state.counts.all == [counter: 4])
    }
}
