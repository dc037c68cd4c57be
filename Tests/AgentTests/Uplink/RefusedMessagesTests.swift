import MQTT
import Primitives
import Testing

@testable import Agent

@Suite("RefusedMessages")
struct RefusedMessagesTests {
    private let begin = Instant(microseconds: 0)
    private let status = RefusedMessages.Item.publication(.status, topic: "s")
    private let layer = RefusedMessages.Item.subscription("l")

    @Test("refused items are due together, later after each refusal, up to five minutes")
    func waits() {
        var refused = RefusedMessages()
        var now = begin
        var waits: [Int64] = []
        for _ in 0..<10 {
            refused.on(.quotaExceeded, of: status, at: now, random: .max)
            refused.on(.notAuthorised, of: layer, at: now, random: .max)
            #expect(refused.takeDue(at: now) == [])
            guard let due = refused.due else { return #expect(Bool(false)) }
            waits.append((due - now).milliseconds / 1000)
            now = due
            #expect(refused.takeDue(at: now) == [status, layer])
            #expect(refused.due == nil)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300])
    }

    @Test("an accepted item is not sent again, and permanent refusals are not repeated")
    func accepted() {
        var refused = RefusedMessages()
        refused.on(.quotaExceeded, of: status, at: begin, random: .max)
        refused.on(.success, of: status, at: begin, random: .max)
        refused.on(.packetTooLarge, of: layer, at: begin, random: .max)
        #expect(refused.due == nil)
        #expect(refused.takeDue(at: begin + .seconds(1000)) == [])
    }
}
