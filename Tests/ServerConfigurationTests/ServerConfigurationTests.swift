import Configuration
import Foundation
import ServerConfiguration
import Testing

@Suite("configuration of the server")
struct ServerConfigurationTests {
    private static let queues = """
        "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]
        """

    private func lines(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try ServerConfiguration(parsing: Array(text.utf8), of: "f")
            return []
        } catch {
            return error.lines
        }
    }

    @Test("a broker and a site are enough; the rest has the documented defaults")
    func smallest() throws {
        let text = "{\"mqtt\": {\"host\": \"b\"}, \(Self.queues)}"
        let configuration = try ServerConfiguration(parsing: Array(text.utf8))
        #expect(configuration.id == "server")
        #expect("\(configuration.http.listen)" == "127.0.0.1:8480")
        #expect(configuration.http.listen.isLocal)
        #expect(configuration.topicRoot == "sightline/v1")
        #expect(configuration.resultsRoot == "sightline/results/v1")
        #expect(configuration.allowedLateness == .seconds(3600))
        #expect(configuration.privacy == .day)
        #expect(configuration.retention.minutesDays == 400)
        #expect(configuration.sites.map(\.site) == ["s"])
        #expect(configuration.homeAssistant == nil)
    }

    @Test("every fault is reported at once, with its place")
    func faults() {
        let text = """
            {"server": {"id": "a/b"}, "http": {"listen": "8480", "hosts": ["x", "a b"],
             "tokens": "/t"},
             "retention": {"minutesDays": 0}, "privacy": "none",
             "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"]}]}], "more": 1}
            """
        let places = lines(text).map { $0.split(separator: ": ")[1] }
        #expect(
            Set(places) == [
                "/server/id", "/http/listen", "/http/hosts/1", "/retention/minutesDays", "/privacy",
                "/sites/0/queues/0/till", "/mqtt", "/more",
            ])
    }

    @Test(
        "an address that other machines can reach needs tokens",
        arguments: [
            ("127.0.0.1:80", true), ("[::1]:80", true), ("localhost:80", true),
            ("unix:/run/s", true), ("0.0.0.0:80", false), ("[::]:80", false),
            ("store.example:80", false), ("192.0.2.1:80", false),
        ])
    func tokens(address: String, isLocal: Bool) {
        let head =
            "{\"mqtt\": {\"host\": \"b\"}, \(Self.queues), \"http\": {\"listen\": \"\(address)\""
        #expect(lines(head + "}}").isEmpty == isLocal)
        #expect(lines(head + ", \"tokens\": \"/t\"}}") == [])
    }

    @Test(
        "names for other machines need tokens, as their requests come through a proxy of this machine"
    )
    func hosts() {
        let head = "{\"mqtt\": {\"host\": \"b\"}, \(Self.queues), \"http\": {\"hosts\": "
        #expect(lines(head + "[]}}").isEmpty)
        #expect(lines(head + "[\"queues.example\"], \"tokens\": \"/t\"}}").isEmpty)
        #expect(
            lines(head + "[\"queues.example\"]}}") == [
                "f: /http/tokens: tokens is required where hosts has names: through a reverse proxy, "
                    + "everybody could read everything"
            ])
    }

    @Test("addresses keep their written form", arguments: ["[::1]:80", "a:1", "unix:/run/s"])
    func address(text: String) {
        #expect(ListenAddress(text)?.description == text)
    }

    @Test(
        "a value that is not an address is refused",
        arguments: ["", "a", ":80", "a:0", "a:65536", "unix:", "unix:run", "http://a:80"])
    func noAddress(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test("the committed example is a valid configuration")
    func example() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let bytes = try Data(contentsOf: root.appendingPathComponent("config/server.json"))
        _ = try ServerConfiguration(parsing: Array(bytes))
    }
}
