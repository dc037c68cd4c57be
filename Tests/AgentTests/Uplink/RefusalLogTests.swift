import MQTT
import Testing

@testable import Agent

@Suite("RefusalLog")
struct RefusalLogTests {
    @Test("a reason is logged once for a topic until a message is accepted")
    func once() {
        var log = RefusalLog()
        #expect(log.on(.notAuthorised, topic: "a") == true)
        #expect(log.on(.notAuthorised, topic: "a") == false)
        #expect(log.on(.packetTooLarge, topic: "a") == true)
        #expect(log.on(.notAuthorised, topic: "a") == false, "after another reason")
        #expect(log.on(.notAuthorised, topic: "b") == true)
        #expect(log.on(.success, topic: "b") == false)
        #expect(log.on(.notAuthorised, topic: "a") == false, "after a success on another topic")
        #expect(log.on(.success, topic: "a") == false)
        #expect(log.on(.notAuthorised, topic: "a") == true)
    }
}
