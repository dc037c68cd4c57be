import MQTT
import Results
import Testing

@testable import Server

@Suite("publications that the broker refuses")
struct RefusedPublicationsTests {
    private func publication(_ topic: String, isRemoval: Bool = false) -> Publication {
        Publication(topic: topic, payload: isRemoval ? [] : [1])
    }

    @Test("the fault lasts until the broker takes a publication of each topic")
    func fault() {
        var refused = RefusedPublications()
        func answer(_ topic: String, _ reason: ReasonCode) -> RefusedPublications.Refusal? {
            refused.sent(publication(topic), kind: "k", token: 1)
            return refused.answered(1, reason)
        }
        #expect(answer("a", .noMatchingSubscribers) == nil)
        #expect(refused.fault == nil)
        #expect(answer("b", .notAuthorised) == .init(topic: "b", reason: .notAuthorised))
        #expect(answer("a", .notAuthorised) == nil)
        #expect(answer("a", .notAuthorised) == nil)
        #expect(refused.count == 3)
        #expect(refused.contains("a") && !refused.contains("c"))
        #expect(refused.fault?.hasPrefix("The broker refuses results for a and 1 more, ") == true)
        #expect(answer("a", .success) == nil)
        #expect(refused.fault?.hasPrefix("The broker refuses results for b, ") == true)
        #expect(answer("b", .success) == nil)
        #expect(refused.fault == nil)
    }

    @Test("each kind of discovery document has a name, as each has a line of the access list")
    func kinds() {
        let topics = ResultTopics(root: "sightline/results/v1")
        let kind = { ResultOutlet.kind(of: $0, topics, "status") }
        #expect(kind("homeassistant/device/_zones/s_-west/config") == "_zones")
        #expect(kind("homeassistant/device/_queues/s_-q/config") == "_queues")
        #expect(kind("sightline/results/v1/s/queues/q") == "queue")
        #expect(kind("status") == "status")
    }

    @Test(
        "a refused removal is logged, and is no lasting fault; a new connection begins without any")
    func removal() {
        var refused = RefusedPublications()
        refused.sent(publication("a", isRemoval: true), kind: "k", token: 1)
        #expect(refused.answered(1, .quotaExceeded)?.reason == .quotaExceeded)
        #expect(refused.fault == nil)
        refused.sent(publication("a"), kind: "k", token: 2)
        _ = refused.answered(2, .quotaExceeded)
        #expect(refused.fault?.hasSuffix("see the log of the broker.") == true)
        refused.forget()
        #expect(refused.fault == nil)
        #expect(refused.count == 2)
    }
}
