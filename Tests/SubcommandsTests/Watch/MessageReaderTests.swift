import Contract
import MQTT
import MessageSamples
import Testing

@testable import Subcommands

@Suite("messages as lines")
struct MessageReaderTests {
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

    private static func take(_ reader: inout MessageReader, _ topic: String, _ text: String)
        -> [String]
    {
        reader.on(
            topic: "sightline/v1/store-042/entry-1/\(topic)", payload: Array(text.utf8),
            at: Samples.at(1), wall: Samples.wall(0)
        ).all
    }

    @Test("each sighting is a line")
    func sightings() {
        var reader = MessageReader(root: Topics.usualRoot)
        #expect(
            Self.take(&reader, "sightings", Self.batch) == [
                "2026-05-28T20:26:41.000Z store-042/entry-1 \(Samples.uuid)/42/7 count=10 mean=-64.2 max=-58 senders=1",
                "2026-05-28T20:26:41.000Z store-042/entry-1 \(Samples.uuid)/42/8 count=2 mean=– max=– senders=2",
            ])
        #expect(reader.model.beacons.count == 2)
    }

    @Test("a period without beacons has a line at its start and its end")
    func quiet() {
        var reader = MessageReader(root: Topics.usualRoot)
        func window(_ seq: Int, _ second: Int64, deaf: Bool = false) -> [String] {
            let start = Samples.start.milliseconds + second * 1000
            let state = deaf ? #""state":"deaf","# : ""
            return Self.take(
                &reader, "sightings",
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
        let lines = Self.take(&reader, "sightings", Self.batch)
        #expect(lines.count == 3)
        #expect(
            lines.first?.hasSuffix("entry-1 heard no beacon from 20:26:30 to 20:26:33") == true)
        // Deafness also ends a period.
        #expect(window(4, 1).count == 1)
        let deaf = window(5, 2, deaf: true)
        #expect(deaf.contains { $0.contains("is deaf: its radio receives nothing") })
        #expect(deaf.contains { $0.contains("heard no beacon from 20:26:41 to 20:26:42") })
        #expect(window(6, 3, deaf: true) == [])
    }

    @Test("a status is a line without control characters")
    func status() {
        var reader = MessageReader(root: Topics.usualRoot)
        let online =
            #"{"v":1,"state":"online","session":"a","at":1,"version":"1\u001b[2J","clock":"synced"}"#
        #expect(
            Self.take(&reader, "status", online) == [
                "2026-05-28T20:26:41.000Z store-042/entry-1 is online, version 1?[2J"
            ])
    }

    @Test("an empty status removes the gateway")
    func removed() {
        var reader = MessageReader(root: Topics.usualRoot)
        _ = Self.take(&reader, "sightings", Self.batch)
        #expect(Self.take(&reader, "status", "") == [])
        #expect(reader.model.gateways.isEmpty)
    }

    @Test("an invalid message is counted and has a line", arguments: ["", "{", "[]", #"{"v":2}"#])
    func unreadable(text: String) throws {
        var reader = MessageReader(root: Topics.usualRoot)
        let lines = Self.take(&reader, "sightings", text)
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line.contains("store-042/entry-1 sent an invalid message"))
        #expect(reader.unreadable == 1)
    }

    @Test("every prefix of a message is invalid")
    func prefixes() {
        let bytes = Array(Self.batch.utf8)
        for count in 0..<bytes.count {
            var reader = MessageReader(root: Topics.usualRoot)
            _ = reader.on(
                topic: "sightline/v1/s/g/sightings", payload: Array(bytes.prefix(count)),
                at: Samples.at(1), wall: 0)
            #expect(reader.unreadable == 1)
        }
    }

    @Test("other topics are ignored")
    func otherTopics() {
        var reader = MessageReader(root: Topics.usualRoot)
        for topic in ["sightline/v1/a/b", "x", "", "sightline/v1/a b/c/sightings"] {
            #expect(reader.on(topic: topic, payload: [], at: Samples.at(1), wall: 0).all == [])
        }
    }

    @Test("a retune is a line; the first report is none")
    func retune() {
        var reader = MessageReader(root: Topics.usualRoot)
        func report(_ version: Int, _ window: Int) -> [String] {
            Self.take(
                &reader, "config/reported",
                #"{"v":1,"session":"a","versions":{"fleet":\#(version),"site":null,"gateway":null},"#
                    + #""status":"applied","errors":[],"effective":{"report":{"windowMs":\#(window)}},"#
                    + #""radio":{"advertising":false},"persisted":true}"#)
        }
        #expect(report(3, 1000) == [])
        #expect(report(3, 1000) == [])
        #expect(
            report(4, 500) == [
                "2026-05-28T20:26:41.000Z store-042/entry-1 is retuned: fleet 4; window 500 ms"
            ])
    }

    @Test("other sites are not shown")
    func otherSites() {
        var reader = MessageReader(root: Topics.usualRoot, site: "store-043")
        let online =
            #"{"v":1,"state":"online","session":"a","at":1,"version":"1","clock":"synced"}"#
        #expect(Self.take(&reader, "status", online) == [])
        #expect(reader.model.gateways.isEmpty)
        #expect(
            reader.line(Message(topic: "sightline/v1/store-042/entry-1/status", payload: [])) == nil
        )
    }
}
