import Results
import Testing

@Suite("topics of results")
struct ResultTopicsTests {
    private let topics = ResultTopics()

    @Test("a queue has its topics below the site")
    func written() {
        #expect(topics.topic(site: "s", item: "q") == "sightline/results/v1/s/queues/q")
        #expect(
            topics.topic(.visits, site: "s", item: "q")
                == "sightline/results/v1/s/queues/q/visits")
        #expect(topics.filter(.minutes, site: "s") == "sightline/results/v1/s/queues/+/minutes")
        #expect(topics.status(of: "a") == "sightline/results/v1/status/a")
    }

    @Test("a topic names site, queue and kind")
    func read() throws {
        let found = try #require(topics.parse("sightline/results/v1/s/queues/q/visits"))
        #expect(found == ("s", "q", .visits))
        #expect(try #require(topics.parse("sightline/results/v1/s/queues/q")).kind == .now)
    }

    @Test(
        "other topics are none of these",
        arguments: [
            "sightline/v1/s/queues/q", "sightline/results/v1/s/queues",
            "sightline/results/v1/s/q/q",
            "sightline/results/v1/s/queues/q/visits/x", "sightline/results/v1/status/queues",
            "sightline/results/v1/s/queues/q/", "sightline/results/v1/s s/queues/q",
        ])
    func foreign(topic: String) { #expect(topics.parse(topic) == nil) }
}
