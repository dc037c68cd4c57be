import MQTT
import MessageSamples
import Primitives
import Terminal
import Testing

@testable import Subcommands

@Suite struct HearingSessionTests {
    @Test("listening ends after its seconds, or with a signal once the broker has answered")
    func end() {
        var session = HearingSession(root: "sightline/v1", site: "s", seconds: 60)
        #expect(session.filters == ["sightline/v1/s/+/sightings"] && session.deadline == nil)
        #expect(session.on(.interrupted, at: Samples.at(0)) == [.exit(.failed)])
        #expect(session.on(.broker(.subscribed), at: Samples.at(1)).isEmpty)
        #expect(session.deadline == Samples.at(61))
        #expect(session.on(.tick, at: Samples.at(60)).isEmpty)
        #expect(session.on(.tick, at: Samples.at(61)) == [.exit(.done)])
        #expect(session.on(.interrupted, at: Samples.at(2)) == [.exit(.done)])
        // A new connection begins no new time.
        _ = session.on(.broker(.subscribed), at: Samples.at(50))
        #expect(session.deadline == Samples.at(61))
    }

    @Test("only messages of sightings below the root count")
    func messages() {
        var session = HearingSession(root: "sightline/v1", site: nil, seconds: 60)
        for topic in [
            "sightline/v1/s/g/sightings", "sightline/v1/s/g/health", "other/s/g/sightings",
        ] {
            let payload = Array(
                """
                {"v":1,"site":"x","gateway":"y","session":"\(topic)","seq":1,\
                "window":{"start":1,"end":2},"clock":"synced","radio":{"reports":0,"beacons":0,\
                "filtered":0,"malformed":0,"implausible":0,"dropped":0},"sightings":[]}
                """.utf8)
            _ = session.on(
                .broker(.message(Message(topic: topic, payload: payload))), at: Samples.at(1))
        }
        #expect(session.heard.gateways == ["s/g": true])
    }
}
