import Contract
import MessageSamples
import Testing

@testable import Watch

@Suite("Messages as plain lines")
struct WatchFeedTests {
    private static let batch = """
        {"v":1,"site":"store-042","gateway":"entry-1","session":"a","seq":3,
         "window":{"start":1780000000000,"end":1780000001000},"clock":"synced",
         "radio":{"reports":412,"beacons":10,"filtered":3,"malformed":0,"implausible":0,"dropped":0},
         "sightings":[
          {"type":"ibeacon","uuid":"\(Samples.uuid)","major":42,"minor":7,"measuredPower":-59,
           "count":10,"rssi":{"min":-71,"max":-58,"mean":-64.2,"stddev":3.11,"last":-66},
           "power":{"mean":-63.1,"centroid":431},
           "firstSeen":12,"lastSeen":987,"maxAt":340,"senders":1},
          {"type":"ibeacon","uuid":"\(Samples.uuid)","major":42,"minor":8,"measuredPower":-59,
           "count":2,"firstSeen":12,"lastSeen":987,"senders":2}]}
        """

    private static func take(_ feed: inout WatchFeed, _ topic: String, _ text: String) -> [String] {
        feed.on(
            topic: "sightline/v1/store-042/entry-1/\(topic)", payload: Array(text.utf8),
            at: Samples.at(1), wallMs: Samples.wall(0))
    }

    @Test("A sighting is a line of its own")
    func sightings() {
        var feed = WatchFeed(root: Topics.usualRoot)
        #expect(
            Self.take(&feed, "sightings", Self.batch) == [
                "2026-05-28T20:26:41.000Z store-042/entry-1 \(Samples.uuid)/42/7 count=10 mean=-64.2 max=-58 senders=1",
                "2026-05-28T20:26:41.000Z store-042/entry-1 \(Samples.uuid)/42/8 count=2 mean=– max=– senders=2",
            ])
        #expect(feed.model.rows.count == 2)
    }

    @Test("A spell without beacons is told when it begins and when it ends")
    func quiet() {
        var feed = WatchFeed(root: Topics.usualRoot)
        func window(_ seq: Int, _ second: Int64, deaf: Bool = false) -> [String] {
            let start = Samples.start + second * 1000
            let state = deaf ? #""state":"deaf","# : ""
            return Self.take(
                &feed, "sightings",
                """
                {"v":1,"site":"store-042","gateway":"entry-1","session":"a","seq":\(seq),
                 "window":{"start":\(start),"end":\(start + 1000)},"clock":"synced",
                 "radio":{\(state)"reports":4,"beacons":0,"filtered":0,"malformed":0,
                          "implausible":0,"dropped":0},"sightings":[]}
                """)
        }
        #expect(
            window(0, -10) == ["2026-05-28T20:26:41.000Z store-042/entry-1 hears no beacon"])
        #expect(window(1, -9) == [])
        #expect(window(2, -8) == [])
        let lines = Self.take(&feed, "sightings", Self.batch)
        #expect(lines.count == 3)
        #expect(
            lines.first?.hasSuffix("entry-1 heard no beacon from 20:26:30 to 20:26:33") == true)
        // A spell also ends where nothing is known any more.
        #expect(window(4, 1).count == 1)
        let deaf = window(5, 2, deaf: true)
        #expect(deaf.contains { $0.contains("is DEAF") })
        #expect(deaf.contains { $0.contains("heard no beacon from 20:26:41 to 20:26:42") })
        #expect(window(6, 3, deaf: true) == [])
    }

    @Test("A status is a line, and its text can't command a terminal")
    func status() {
        var feed = WatchFeed(root: Topics.usualRoot)
        let online =
            #"{"v":1,"state":"online","session":"a","at":1,"version":"1\u001b[2J","clock":"synced"}"#
        #expect(
            Self.take(&feed, "status", online) == [
                "2026-05-28T20:26:41.000Z store-042/entry-1 is online, version 1?[2J"
            ])
    }

    @Test("An empty status removes the gateway")
    func removed() {
        var feed = WatchFeed(root: Topics.usualRoot)
        _ = Self.take(&feed, "sightings", Self.batch)
        #expect(Self.take(&feed, "status", "") == [])
        #expect(feed.model.gateways.isEmpty)
    }

    @Test("What can't be read is counted and said", arguments: ["", "{", "[]", #"{"v":2}"#])
    func unreadable(text: String) throws {
        var feed = WatchFeed(root: Topics.usualRoot)
        let lines = Self.take(&feed, "sightings", text)
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line.contains("store-042/entry-1 sent a message that can't be read"))
        #expect(feed.unreadable == 1)
    }

    @Test("A message cut short anywhere is taken or refused")
    func prefixes() {
        let bytes = Array(Self.batch.utf8)
        for count in 0..<bytes.count {
            var feed = WatchFeed(root: Topics.usualRoot)
            _ = feed.on(
                topic: "sightline/v1/s/g/sightings", payload: Array(bytes.prefix(count)),
                at: Samples.at(1), wallMs: 0)
            #expect(feed.unreadable == 1)
        }
    }

    @Test("Other topics are none of ours")
    func otherTopics() {
        var feed = WatchFeed(root: Topics.usualRoot)
        for topic in ["sightline/v1/a/b", "x", "", "sightline/v1/a b/c/sightings"] {
            #expect(feed.on(topic: topic, payload: [], at: Samples.at(1), wallMs: 0) == [])
        }
    }

    @Test("A raw message is one line, whatever it holds")
    func rawLine() {
        let line = WatchFeed.rawLine(Array("{\"a\":\r\n 1\u{1b}[2J}".utf8))
        #expect(String(decoding: line, as: UTF8.self) == "{\"a\":   1 [2J}\n")
    }
}
