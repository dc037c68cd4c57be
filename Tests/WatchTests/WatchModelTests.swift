import Contract
import MessageSamples
import Sightings
import Testing

@testable import Watch

@Suite("A watcher's model")
struct WatchModelTests {
    @Test("A sighting makes a row, with rates by the window's width")
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

    @Test("Rows stand by gateway, the strongest first")
    func order() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(1, max: -50)]), of: Samples.till)
        model.hear(
            Samples.batch(0, [Samples.sighting(1, max: -80), Samples.sighting(2, max: -60)]))
        #expect(model.rows.map(\.gateway) == [Samples.entry, Samples.entry, Samples.till])
        #expect(model.rows.map(\.identity.minor) == [2, 1, 1])
    }

    @Test("One outlier does not change the order of those who stand")
    func steady() {
        var model = WatchModel()
        model.hear(
            Samples.batch(0, [Samples.sighting(1, max: -60), Samples.sighting(2, max: -66)]))
        model.hear(
            Samples.batch(
                1, second: 1, [Samples.sighting(1, max: -66), Samples.sighting(2, max: -60)]))
        #expect(model.rows.map(\.identity.minor) == [1, 2])
    }

    @Test("A beacon that is not heard for ten seconds is gone")
    func expiry() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(7)]))
        model.pass(to: Samples.at(10.9))
        #expect(model.rows.count == 1)
        model.pass(to: Samples.at(11))
        #expect(model.rows.isEmpty)
    }

    @Test("A gap in the numbers is told once, and counted")
    func gap() {
        var model = WatchModel()
        #expect(model.hear(Samples.batch(3)) == [])
        #expect(model.hear(Samples.batch(6, second: 3)) == [.missed(2)])
        #expect(model.hear(Samples.batch(7, second: 4)) == [])
        #expect(model.gateways[Samples.entry]?.missed == 2)
    }

    @Test("A new session's numbers start anew without a gap")
    func newSession() {
        var model = WatchModel()
        model.hear(Samples.batch(100))
        #expect(model.hear(Samples.batch(0, second: 1, session: "b")) == [.newSession])
        #expect(model.gateways[Samples.entry]?.missed == 0)
    }

    @Test("An old session's will does not mask a new session")
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

    @Test("A radio in trouble is told once, and so is its end; sightings meanwhile are of now")
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

    @Test("A backlog of the session before is counted, but is not now")
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

    @Test("A deaf gateway is told from an empty store")
    func deaf() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(1)]))
        #expect(model.hear(Samples.batch(1, second: 1, reports: 0)) == [])
        #expect(model.hear(Samples.batch(2, second: 2, reports: 0, state: .deaf)) == [.deaf])
        #expect(model.hear(Samples.batch(3, second: 3, reports: 0, state: .deaf)) == [])
        #expect(model.gateways[Samples.entry]?.deafSince == Samples.at(3))
        #expect(model.hear(Samples.batch(4, second: 4)) == [.hearing])
    }

    @Test("Losses, drops and clocks are told")
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

    @Test("Removing the retained status removes the gateway")
    func forget() {
        var model = WatchModel()
        model.hear(Samples.batch(0, [Samples.sighting(1)]))
        model.forget(Samples.entry)
        #expect(model.gateways.isEmpty)
        #expect(model.rows.isEmpty)
    }

    @Test("A flood of identities is bounded, and said")
    func flood() {
        var model = WatchModel()
        let sightings = (0...WatchModel.mostRows).map { Samples.sighting(UInt16($0)) }
        model.hear(Samples.batch(0, sightings))
        #expect(model.rows.count == WatchModel.mostRows)
        #expect(model.refused == 1)
    }

    @Test(
        "Windows of any size and place are taken",
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
