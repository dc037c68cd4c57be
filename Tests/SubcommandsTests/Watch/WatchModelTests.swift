import Contract
import MessageSamples
import Primitives
import Sightings
import Subscriber
import Testing

@testable import Subcommands

@Suite("watch model")
struct WatchModelTests {
    @Test("a watch has the conditions of status and server", arguments: GatewaySample.all)
    func samples(_ sample: GatewaySample) {
        for accepts in [false, true] {
            var model = WatchModel(acceptsUnsyncedClocks: accepts)
            model.hear(sample.status)
            model.on(sample.health, of: Samples.entry, at: Samples.at(0))
            _ = model.on(sample.report, of: Samples.entry, at: Samples.at(0))
            if let window = sample.window { model.hear(window) }
            let condition = model.gateways[Samples.entry]?.condition(at: Samples.at(2))
            #expect(condition == (accepts ? sample.accepted : sample.condition))
        }
    }

    @Test("a sighting makes a beacon with rates by the window's width")
    func row() throws {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(7, count: 20)]))
        let beacon = try #require(model.beacons[Samples.identity(7)])
        let hearing = try #require(beacon.hearings[Samples.entry])
        #expect(hearing.perSecond == 20)
        #expect(hearing.mean == -64.2)
        #expect(hearing.max == -58)
        #expect(model.gateways[Samples.entry]?.state.reportsPerSecond == 412)
    }

    @Test("the strongest gateway of a beacon does not change with one window")
    func strongest() throws {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(1, max: -60)]))
        model.hear(Samples.batch(0, [Samples.sighting(1, max: -66)]), of: Samples.till)
        func strongest(_ second: Double) -> GatewayName? {
            model.beacons[Samples.identity(1)]?.strongest(at: Samples.at(second))?.gateway
        }
        #expect(strongest(1) == Samples.entry)
        model.hear(Samples.batch(1, second: 1, [Samples.sighting(1, max: -66)]))
        model.hear(Samples.batch(1, second: 1, [Samples.sighting(1, max: -60)]), of: Samples.till)
        #expect(strongest(2) == Samples.entry)
        // The entry does not hear it any more.
        model.hear(Samples.batch(9, second: 12, [Samples.sighting(1, max: -90)]), of: Samples.till)
        #expect(strongest(13) == Samples.till)
    }

    @Test("a beacon fades, is gone after ten seconds, and keeps its place until a new one takes it")
    func places() {
        var model = WatchModel()
        model.hear(Samples.batch(0, (1...3).map { Samples.sighting($0) }))
        for second in 1...12 {
            model.hear(
                Samples.batch(
                    UInt64(second), second: Int64(second),
                    [Samples.sighting(1), Samples.sighting(3)]))
            model.pass(to: Samples.at(Double(second + 1)))
        }
        func minors() -> [UInt16] { model.places.map(\.minor) }
        let gone = model.beacons[Samples.identity(2)]
        #expect(gone?.isGone(at: Samples.at(10.9)) == false)
        #expect(gone?.isGone(at: Samples.at(11)) == true)
        #expect(minors() == [1, 2, 3])
        model.hear(Samples.batch(20, second: 20, [Samples.sighting(4), Samples.sighting(5)]))
        #expect(minors() == [1, 4, 3, 5])
    }

    @Test("a beacon that returns has its old place")
    func returns() {
        var model = WatchModel()
        model.hear(Samples.batch(0, (1...3).map { Samples.sighting($0) }))
        model.hear(Samples.batch(1, second: 30, [Samples.sighting(3)]))
        model.pass(to: Samples.at(31))
        model.hear(Samples.batch(2, second: 31, [Samples.sighting(1), Samples.sighting(9)]))
        #expect(model.places.map(\.minor) == [1, 9, 3])
    }

    @Test("the list closes up when most of its beacons left a minute ago")
    func closing() {
        var model = WatchModel()
        model.hear(Samples.batch(0, (1...4).map { Samples.sighting($0) }))
        for second in 1...72 {
            model.hear(
                Samples.batch(UInt64(second), second: Int64(second), [Samples.sighting(4)]))
            model.pass(to: Samples.at(Double(second + 1)))
            #expect(model.places.count == (second < 70 ? 4 : 1))
        }
        #expect(model.places.map(\.minor) == [4])
    }

    @Test("a gap in the sequence has one notice and is counted")
    func gap() {
        var model = WatchModel()
        #expect(model.hear(Samples.batch(3)) == [])
        #expect(model.hear(Samples.batch(6, second: 3)) == [.missed(2)])
        #expect(model.hear(Samples.batch(7, second: 4)) == [])
        #expect(model.gateways[Samples.entry]?.state.missed == 2)
    }

    @Test("a new session starts without a gap")
    func newSession() {
        var model = WatchModel()
        model.hear(Samples.batch(100))
        #expect(model.hear(Samples.batch(0, second: 1, session: "b")) == [.newSession])
        #expect(model.gateways[Samples.entry]?.state.missed == 0)
    }

    @Test("the will of an old session does not change a new session")
    func oldWill() {
        var model = WatchModel()
        model.hear(Samples.status(.online, session: "a"))
        #expect(
            model.hear(Samples.status(.online, session: "b")) == [.online(version: "0.1.0")])
        #expect(model.hear(Samples.status(.offline, session: "a")) == [])
        #expect(model.gateways[Samples.entry]?.state.status == .online)
        #expect(model.hear(Samples.status(.offline, session: "b")) == [.offline])
        #expect(model.gateways[Samples.entry]?.state.status == .offline)
    }

    @Test("degraded and its end have one notice each; sightings are still current")
    func degraded() {
        var model = WatchModel()
        #expect(model.hear(Samples.status(.degraded)) == [.degraded])
        #expect(model.hear(Samples.status(.degraded)) == [])
        #expect(model.gateways[Samples.entry]?.condition(at: Samples.at(1)) == .degraded)
        #expect(model.hear(Samples.status(.online)) == [.recovered])
        #expect(model.hear(Samples.status(.degraded)) == [.degraded])
        #expect(model.hear(Samples.status(.offline)) == [.offline])
        #expect(model.hear(Samples.status(.online)) == [.online(version: "0.1.0")])
        #expect(
            model.hear(Samples.status(.degraded, session: "b")) == [.degraded])
    }

    @Test("a backlog of the session before is counted, but not current")
    func backlog() {
        var model = WatchModel()
        model.hear(Samples.status(.online, session: "b"))
        model.hear(Samples.batch(0, second: 60, session: "b", reports: 1, [Samples.sighting(1)]))
        model.hear(Samples.batch(8, second: 2, session: "a", [Samples.sighting(2)]))
        #expect(model.hear(Samples.batch(10, second: 4, session: "a")) == [.missed(1)])
        #expect(model.places.map(\.minor) == [1])
        #expect(model.gateways[Samples.entry]?.state.session == "b")
        #expect(model.gateways[Samples.entry]?.state.reportsPerSecond == 1)
    }

    @Test("a deaf gateway differs from a store without beacons")
    func deaf() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(1)]))
        #expect(model.hear(Samples.batch(1, second: 1, reports: 0)) == [])
        #expect(model.hear(Samples.batch(2, second: 2, reports: 0, state: .deaf)) == [.deaf])
        #expect(model.hear(Samples.batch(3, second: 3, reports: 0, state: .deaf)) == [])
        #expect(model.gateways[Samples.entry]?.state.deafSince == Samples.at(3))
        #expect(model.hear(Samples.batch(4, second: 4)) == [.hearing])
    }

    @Test("a gateway that was deaf before the watch has the time of its health")
    func deafBefore() {
        var model = WatchModel()
        var health = Health(session: "a", at: Samples.start, uptime: .seconds(900))
        health.radio.isHearing = false
        health.radio.lastReportAge = .milliseconds(600_000)
        model.hear(Samples.status(.degraded))
        model.hear(Samples.batch(0, reports: 0, state: .deaf))
        func reason() -> String? { model.gateways[Samples.entry]?.reason(at: Samples.at(5)) }
        #expect(reason() == "no report for 4.0 s")
        model.on(health, of: Samples.entry, at: Samples.at(4))
        #expect(reason() == "no report for 10 min 0 s")
    }

    @Test("losses, drops and clock changes have notices")
    func notices() {
        var model = WatchModel()
        model.hear(Samples.batch(0, clock: .unsynced))
        let lost = Loss(batches: 2, fromSeq: 1, toSeq: 2, reason: .outboxFull)
        #expect(
            model.hear(Samples.batch(3, second: 3, dropped: 4, lost: lost)) == [
                .lost(2, reason: "outbox-full"), .dropped(4), .clock(.synced),
            ])
        #expect(model.gateways[Samples.entry]?.state.dropped == 4)
    }

    @Test("an empty status removes the gateway")
    func forget() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(1)]))
        model.forget(Samples.entry)
        #expect(model.gateways.isEmpty)
        #expect(model.beacons.isEmpty)
    }

    @Test("the number of beacons is limited, and the excess is counted")
    func flood() {
        var model = WatchModel()
        let sightings = (0...WatchModel.mostHearings).map { Samples.sighting(UInt16($0)) }
        model.hear(Samples.batch(0, sightings))
        #expect(model.places.count == WatchModel.mostHearings)
        #expect(model.refused == 1)
    }

    @Test(
        "windows of any width and time are accepted",
        arguments: [(.min, .max), (0, 0), (.max, 0), (5, 3)] as [(UnixTime, UnixTime)])
    func absurdWindows(start: UnixTime, end: UnixTime) {
        var model = WatchModel()
        let message = SightingsMessage(
            site: "s", gateway: "g", session: "a", seq: .max, windowStart: start, windowEnd: end,
            clock: .synced, radio: nil, sightings: [Samples.sighting(1, lastSeen: .max)])
        _ = model.on(message, of: Samples.entry, at: Samples.at(1), wall: .max)
        _ = model.on(message, of: Samples.till, at: Samples.at(1), wall: .min)
        model.pass(to: Samples.at(2))
        #expect(model.gateways.count == 2)
    }
}
