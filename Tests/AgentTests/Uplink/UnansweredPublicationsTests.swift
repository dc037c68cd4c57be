import Outbox
import Testing

@testable import Agent

@Suite("UnansweredPublications")
struct UnansweredPublicationsTests {
    @Test("each publication has its own token, which returns its identity once")
    func tokens() {
        var unanswered = UnansweredPublications()
        let status = unanswered.add(Outgoing(.status, [], to: "s"))
        let batch = unanswered.add(Outgoing(.batch(Entry.ID(rawValue: .max)), [], to: "b"))
        let again = unanswered.add(Outgoing(.status, [], to: "s"))
        #expect(Set([status, batch, again]).count == 3)
        #expect(unanswered.remove(batch)?.id == .batch(Entry.ID(rawValue: .max)))
        #expect(unanswered.remove(batch) == nil)
        #expect(unanswered.remove(status)?.topic == "s")
        unanswered.removeAll()
        #expect(unanswered.remove(again) == nil)
    }
}
