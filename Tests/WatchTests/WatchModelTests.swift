import Contract
import MessageSamples
import Sightings
import Testing

@testable import Watch

@Suite("watch model")
struct WatchModelTests {
    @Test("a sighting makes a row with rates by the window's width")
    func row() throws {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(7, count: 20)]))
        let row = try #require(model.rows.first)
        #expect(row.identity == Samples.identity(7))
        #expect(row.perSecond == 20)
        #expect(row.mean == -64.2)
        #expect(row.max == -58)
        #expect(model.gateways[Samples.entry]?.reportsPerSecond == 412)
    }

    @Test("rows are ordered by gateway and strength")
    func order() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(1, max: -50)]), of: Samples.till)
        model.hear(
            Samples.batch(0, [Samples.sighting(1, max: -80), Samples.sighting(2, max: -60)]))
        #expect(model.rows.map(\.gateway) == [Samples.entry, Samples.entry, Samples.till])
        #expect(model.rows.map(\.identity.minor) == [2, 1, 1])
    }

    @Test("an outlier does not change the order of the rows")
    func steady() {
        var model = WatchModel()
        model.hear(
            Samples.batch(0, [Samples.sighting(1, max: -60), Samples.sighting(2, max: -66)]))
        model.hear(
            Samples.batch(
                1, second: 1, [Samples.sighting(1, max: -66), Samples.sighting(2, max: -60)]))
        #expect(model.rows.map(\.identity.minor) == [1, 2])
    }

    @Test("a row is removed ten seconds after its last report")
    func expiry() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(7)]))
        model.pass(to: Samples.at(10.9))
        #expect(model.rows.count == 1)
        model.pass(to: Samples.at(11))
        #expect(model.rows.isEmpty)
    }

    @Test("a gap in the sequence has one notice and is counted")
    func gap() {
        var model = WatchModel()
        #expect(model.hear(Samples.batch(3)) == [])
        #expect(model.hear(Samples.batch(6, second: 3)) == [.missed(2)])
        #expect(model.hear(Samples.batch(7, second: 4)) == [])
        #expect(model.gateways[Samples.entry]?.missed == 2)
    }

    @Test("a new session starts without a gap")
    func newSession() {
        var model = WatchModel()
        model.hear(Samples.batch(100))
        #expect(model.hear(Samples.batch(0, second: 1, session: "b")) == [.newSession])
        #expect(model.gateways[Samples.entry]?.missed == 0)
    }

    @Test("the will of an old session does not change a new session")
    func oldWill() {
        var model = WatchModel()
        model.hear(Samples.status(.online, session: "a"))
        #expect(
            model.hear(Samples.status(.online, session: "b")) == [.online(version: "0.1.0")])
        #expect(model.hear(Samples.status(.offline, session: "a")) == [])
        #expect(model.gateways[Samples.entry]?.status == .online)
        #expect(model.hear(Samples.status(.offline, session: "b")) == [.offline])
        #expect(model.gateways[Samples.entry]?.status == .offline)
    }

    @Test("degraded and its end have one notice each; sightings are still current")
    func degraded() {
        var model = WatchModel()
        #expect(model.hear(Samples.status(.degraded)) == [.degraded])
        #expect(model.hear(Samples.status(.degraded)) == [])
        #expect(model.gateways[Samples.entry]?.stateWord.text == "degraded")
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
        #expect(model.rows.map(\.identity.minor) == [1])
        #expect(model.gateways[Samples.entry]?.session == "b")
        #expect(model.gateways[Samples.entry]?.reportsPerSecond == 1)
    }

    @Test("a deaf gateway differs from a store without beacons")
    func deaf() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(1)]))
        #expect(model.hear(Samples.batch(1, second: 1, reports: 0)) == [])
        #expect(model.hear(Samples.batch(2, second: 2, reports: 0, state: .deaf)) == [.deaf])
        #expect(model.hear(Samples.batch(3, second: 3, reports: 0, state: .deaf)) == [])
        #expect(model.gateways[Samples.entry]?.deafSince == Samples.at(3))
        #expect(model.hear(Samples.batch(4, second: 4)) == [.hearing])
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
        #expect(model.gateways[Samples.entry]?.dropped == 4)
    }

    @Test("an empty status removes the gateway")
    func forget() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(1)]))
        model.forget(Samples.entry)
        #expect(model.gateways.isEmpty)
        #expect(model.rows.isEmpty)
    }

    @Test("the number of rows is limited, and the excess is counted")
    func flood() {
        var model = WatchModel()
        let sightings = (0...WatchModel.mostRows).map { Samples.sighting(UInt16($0)) }
        model.hear(Samples.batch(0, sightings))
        #expect(model.rows.count == WatchModel.mostRows)
        #expect(model.refused == 1)
    }

    @Test(
        "windows of any width and time are accepted",
        arguments: [(.min, .max), (0, 0), (.max, 0), (5, 3)] as [(Int64, Int64)])
    func absurdWindows(start: Int64, end: Int64) {
        var model = WatchModel()
        let message = SightingsMessage(
            site: "s", gateway: "g", session: "a", seq: .max, windowStart: start, windowEnd: end,
            clock: .synced, radio: nil, sightings: [Samples.sighting(1, lastSeen: .max)])
        _ = model.on(message, of: Samples.entry, at: Samples.at(1), wallMs: .max)
        _ = model.on(message, of: Samples.till, at: Samples.at(1), wallMs: .min)
        model.pass(to: Samples.at(2))
        #expect(model.gateways.count == 2)
    }
}
