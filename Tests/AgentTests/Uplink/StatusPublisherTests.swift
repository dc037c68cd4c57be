import Contract
import MQTT
import Primitives
import Testing

@testable import Agent

@Suite("StatusPublisher")
struct StatusPublisherTests {
    private let synced = WallTime(time: 1000, clock: .synced)
    private let unsynced = WallTime(time: 2000, clock: .unsynced)

    private func publisher() -> StatusPublisher {
        StatusPublisher(topic: "s", session: "own", version: "1")
    }

    private func state(_ outgoing: Outgoing?) throws -> StatusMessage.State? {
        try outgoing.map { try StatusMessage(decoding: $0.message.payload).state }
    }

    @Test("the state is published after each connection and after each change")
    func changes() throws {
        var publisher = publisher()
        #expect(try state(publisher.update(.online, at: synced)) == .online)
        #expect(try state(publisher.update(.online, at: synced)) == nil)
        #expect(try state(publisher.update(.degraded, at: synced)) == .degraded)
        #expect(try state(publisher.update(.degraded, at: unsynced)) == .degraded, "the clock")
        publisher.connected()
        #expect(try state(publisher.update(.degraded, at: unsynced)) == .degraded)
    }

    @Test("offline is the last state of a connection")
    func offline() throws {
        var publisher = publisher()
        #expect(publisher.isOffline == false)
        let outgoing = publisher.goOffline(at: synced)
        let last = try #require(outgoing)
        #expect(try state(last) == .offline)
        #expect(last.id == .status)
        #expect(last.message.isRetained)
        #expect(publisher.isOffline)
        publisher.connected()
        #expect(publisher.isOffline == false)
    }

    @Test("the time of a status counts only if the clock is synchronised")
    func time() {
        var publisher = publisher()
        _ = publisher.update(.online, at: synced)
        #expect(publisher.writtenAt == 1000)
        _ = publisher.update(.online, at: unsynced)
        #expect(publisher.writtenAt == nil)
    }

    private func message(_ state: StatusMessage.State, isRetained: Bool = false) -> Message {
        let status = StatusMessage(
            state: state, session: "own", at: 1, version: "1", clock: .synced)
        return Message(topic: "s", payload: status.encoded, isRetained: isRetained)
    }

    @Test("an offline that replaces our status is answered once, and not after our own offline")
    func overwritten() throws {
        var publisher = publisher()
        publisher.received(message(.offline))
        #expect(try state(publisher.update(.online, at: synced)) == .online)
        publisher.received(message(.online))
        publisher.received(message(.offline, isRetained: true))
        publisher.received(Message(topic: "s", payload: [0xff]))
        #expect(publisher.update(.online, at: synced) == nil)
        publisher.received(message(.offline))
        #expect(try state(publisher.update(.online, at: synced)) == .online)
        #expect(publisher.update(.online, at: synced) == nil)
        _ = publisher.goOffline(at: synced)
        publisher.received(message(.offline))
        publisher.refused()
        #expect(publisher.isOffline)
    }

    @Test("a silent publisher has no message and no will, and goes offline")
    func silent() {
        var publisher = StatusPublisher(topic: "s", session: "own", version: "1", isSilent: true)
        #expect(publisher.will(at: synced) == nil)
        #expect(publisher.update(.online, at: synced) == nil)
        #expect(publisher.goOffline(at: synced) == nil)
        #expect(publisher.isOffline)
    }

    @Test("the will says offline")
    func will() throws {
        let will = try #require(publisher().will(at: unsynced))
        let status = try StatusMessage(decoding: will.payload)
        #expect(status.state == .offline)
        #expect(status.session == "own")
        #expect(will.topic == "s")
    }
}
