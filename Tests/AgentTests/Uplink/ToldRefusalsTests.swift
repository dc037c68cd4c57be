import MQTT
import Testing

@testable import Agent

@Suite("ToldRefusals")
struct ToldRefusalsTests {
    @Test("each reason is news once for a topic, until a message is taken")
    func once() {
        var told = ToldRefusals()
        #expect(told.add(.notAuthorised, of: "a") == true)
        #expect(told.add(.notAuthorised, of: "a") == false)
        #expect(told.add(.packetTooLarge, of: "a") == true)
        #expect(told.add(.notAuthorised, of: "a") == false, "another reason in between")
        #expect(told.add(.notAuthorised, of: "b") == true)
        told.remove("b")
        #expect(told.add(.notAuthorised, of: "a") == false, "another topic's message")
        told.remove("a")
        #expect(told.add(.notAuthorised, of: "a") == true)
    }
}
