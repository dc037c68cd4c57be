import Beacons
import Contract
import Logging
import MQTT
import Outbox
import Posix
import Primitives
import Sightings
import TestSupport
import TestVectors
import Testing

@testable import Agent

@Suite("the radio's end of the link")
struct UplinkLinkTests {
    private let stamp = Stamp(offset: .zero, clock: .synced)

    /// A batch of about 10 KB.
    private func batch(_ seq: UInt64) -> Batch {
        let start = Instant(microseconds: Int64(seq))
        let sightings = (0..<200).map {
            Sighting(of: Advertisements.beacon($0), rssi: RSSI(dBm: -60), at: start)
        }
        return Batch(
            seq: seq, interval: Interval(start: start, end: start), radio: nil,
            sightings: sightings[...])
    }

    @Test(
        "batches that the socket has no room for follow as soon as it has, without a reply",
        arguments: [1, 7, 200])
    func room(posted: Int) throws {
        let (ours, theirs) = try Sockets.pair()
        let peer = FrameStream(Descriptor(owning: theirs))
        var link = UplinkLink(Origin(session: "s"))
        link.begin(Descriptor(owning: ours))
        var received: [UInt64] = []
        for seq in 0..<UInt64(posted) {
            let isAccepted = link.post(batch(seq), stamp)
            #expect(isAccepted)
        }
        link.post(.stop)
        var messages: [UplinkMessage] = []
        while messages.last != .stop {
            messages += try peer.receive().map { try UplinkMessage(decoding: $0) }
            guard messages.last != .stop else { break }
            // Whatever is left makes the link wait for room.
            let interest = try #require(link.interest)
            try #require(interest.events.contains(.output), "\(messages.count) of \(posted)")
            link.pump()
        }
        for case .batch(let stored, _) in messages { received.append(stored.batch.seq) }
        #expect(received == Array(0..<UInt64(posted)))
    }

    @Test("an answer to an order of an uplink before does not reach the next one")
    func orders() throws {
        var link = UplinkLink(Origin(session: "s"))
        let order = UplinkReply.order(ApplyRequest(id: 5, settings: .init()))
        let answer = UplinkMessage.answer(ApplyResult(id: 5, outcome: .applied), ControllerState())
        let (first, firstPeer) = try Sockets.pair()
        let former = FrameStream(Descriptor(owning: firstPeer))
        link.begin(Descriptor(owning: first))
        link.handle(order)
        link.end()
        let (second, secondPeer) = try Sockets.pair()
        let next = FrameStream(Descriptor(owning: secondPeer))
        link.begin(Descriptor(owning: second))
        let isPosted = link.post(answer)
        #expect(!isPosted)
        link.handle(order)
        let isPostedNow = link.post(answer)
        #expect(isPostedNow)
        #expect(try next.receive().map { try UplinkMessage(decoding: $0) } == [answer])
        #expect(former.receive() == [])
    }

    @Test("a reload that an uplink did not finish is for the next one")
    func reload() throws {
        var link = UplinkLink(Origin(session: "s"))
        // Asked once: the next uplink gets it once.
        let isPosted = link.post(.reload)
        #expect(isPosted)
        for isOver in [false, true] {
            let (ours, theirs) = try Sockets.pair()
            let peer = FrameStream(Descriptor(owning: theirs))
            link.begin(Descriptor(owning: ours))
            #expect(peer.receive() == [UplinkMessage.reload.encoded])
            if isOver { link.handle(.reloaded(nil)) }
            link.end()
        }
        let (ours, theirs) = try Sockets.pair()
        let peer = FrameStream(Descriptor(owning: theirs))
        link.begin(Descriptor(owning: ours))
        #expect(peer.receive() == [])
    }

    @Test("a stop that arrives with the first message ends the uplink")
    func earlyStop() throws {
        let (ours, theirs) = try Sockets.pair()
        let session = Session(milliseconds: 0, random: (1, 2))
        var link = UplinkLink(Origin(session: session.description))
        link.begin(
            Descriptor(owning: ours),
            UplinkStart(
                session: session, began: Instant(microseconds: 0), path: "", configuration: [],
                source: nil, layers: [],
                hasServiceManager: false))
        link.post(.stop)
        let topics = try #require(Topics(site: "store-042", gateway: "entry-1"))
        // No broker listens there: the uplink has nothing to deliver, and needs none to end.
        let settings = Uplink.Settings(
            topics: topics, session: session, version: "0",
            broker: ConnectionSettings(host: "127.0.0.1", port: 1), protocolChoice: .automatic,
            limits: OutboxLimits(), restamps: false)
        let ended = try Mailbox<Bool>(capacity: 1)
        let thread = try Thread(name: "uplink") {
            let port = UplinkPort(Descriptor(owning: theirs))
            _ = port.takeStart()
            try? Uplink(settings, port: port, log: Log(level: .error)).run()
            ended.post(true)
        }
        thread.detach()
        let ready = try Poll.wait(
            for: [Poll.Interest(ended.descriptor)], timeout: Int(Deadline.limit * 1000))
        #expect(!ready[0].isEmpty)
        withExtendedLifetime(link) {}
    }

    @Test(
        "batches beyond the bound are refused, and the bound of a capture is lower",
        arguments: [(true, 1000), (false, 4096)])
    func full(isPatient: Bool, bound: Int) {
        var link = UplinkLink(Origin(session: "s"), isPatient: isPatient)
        let start = Instant(microseconds: 0)
        var accepted = 0
        for seq in 0..<5000 as Range<UInt64> {
            let empty = Batch(
                seq: seq, interval: Interval(start: start, end: start), radio: nil, sightings: [])
            if link.post(empty, stamp) { accepted += 1 }
        }
        #expect(accepted == bound)
        #expect(link.batches == bound)
    }

    @Test("messages are refused while an uplink reads nothing")
    func unread() throws {
        let (ours, theirs) = try Sockets.pair()
        let peer = FrameStream(Descriptor(owning: theirs))
        var link = UplinkLink(Origin(session: "s"))
        link.begin(Descriptor(owning: ours))
        var posted = 0
        while posted < 100_000, link.post(.radio(RadioHealth())) { posted += 1 }
        #expect((1..<100_000).contains(posted))
        var received = 0
        while received < posted {
            let messages = peer.receive()
            try #require(!messages.isEmpty || link.interest?.events.contains(.output) == true)
            received += messages.count
            link.pump()
        }
        #expect(received == posted)
        let hasRoom = link.post(.radio(RadioHealth()))
        #expect(hasRoom)
    }

    @Test("orders without an answer are ignored beyond the fourth")
    func manyOrders() {
        var link = UplinkLink(Origin(session: "s"))
        func order(_ id: UInt64) -> Bool {
            link.handle(.order(ApplyRequest(id: id, settings: .init()))) != nil
        }
        #expect((0..<6).map { order($0) } == [true, true, true, true, false, false])
        link.post(.answer(ApplyResult(id: 2, outcome: .applied), ControllerState()))
        #expect((6..<8).map { order($0) } == [true, false])
    }
}
