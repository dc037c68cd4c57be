import Beacons
import Contract
import Facts
import JSON
import Posix
import Primitives
import Queueing
import ResultStore
import Results
import ServerConfiguration
import Sightings
import StoreSQLite
import Subscriber
import TestSupport
import Testing

@testable import Regions
@testable import Server

@Suite("regions of a server")
struct SiteRegionsTests {
    private static let uuid = RegistrySite.uuid

    /// A site `s` with a queue at `e` and `t`, and a region `r` of the gateway `shelf`.
    private struct RegionServer {
        let folder: TemporaryFolder
        let configuration: ServerConfiguration
        let store: SQLiteStore
        let site: Site
        let state: ServerState
        /// The second 0 of a test.
        let start: UnixTime

        /// - Parameter isRegistered: a row of a registry has the beacon 7/1, instead of a range of the configuration.
        init(
            privacy: String = "day", start: UnixTime = UnixTime(milliseconds: QueueServer.noon),
            isRegistered: Bool = false, acceptsUnsynced: Bool = false
        ) throws {
            self.start = start
            folder = try TemporaryFolder()
            let other = "74278bda-b644-4520-8f0c-720eaf059935"
            let text = """
                {"mqtt": {"host": "b"}, "privacy": "\(privacy)", "sites": [{"site": "s", "learningSeconds": 0,
                 "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}],
                 "beacons": {"fixed": [{"uuid": "\(isRegistered ? other : SiteRegionsTests.uuid)", "major": [7, 7]}],
                  "staff": [{"uuid": "\(SiteRegionsTests.uuid)", "major": [6, 6]}]},
                 "regions": [{"region": "r", "gateways": ["shelf"], "exitMs": 10000,
                  "beacons": [{"uuid": "\(SiteRegionsTests.uuid)"}]}]}]}
                """
            var configuration = try ServerConfiguration(parsing: Array(text.utf8))
            if isRegistered, let beacon = BeaconIdentity("\(SiteRegionsTests.uuid)/7/1") {
                configuration.sites[0].beacons.registered.add(beacon, .fixed, item: nil)
            }
            configuration.sites[0].acceptsUnsyncedClocks = acceptsUnsynced
            self.configuration = configuration
            store = SQLiteStore(
                path: folder.file("store.sqlite"), at: .now, merge: PeriodSummary.merged)
            site = try recovered(
                configuration, store, keys: DayKeys(folder: folder.file("keys")),
                wall: start)
            state = ServerState(
                session: Session(description: "1"), sites: [site], store: store,
                clock: ServerClock(
                    wall: (start + .seconds(120)).instant,
                    isDisciplined: true, at: .now))
        }

        /// The site of a server that starts again after these seconds.
        func restarted(after seconds: Int64) throws -> Site {
            try recovered(
                configuration, store, keys: DayKeys(folder: folder.file("keys")),
                wall: start + .seconds(seconds))
        }

        /// Stores the events, as a commit does.
        func commit(_ events: [RegionEventResult]) {
            var batch = StoreBatch()
            batch.regionEvents = events.map(\.row)
            #expect(store.commit(batch, at: .now) == .durable)
        }

        /// Takes a message of a second, in which beacons of these majors send twice.
        func take(
            _ second: Int64, majors: [UInt16], from gateway: String = "shelf",
            to other: Site? = nil, wall: UnixTime? = nil
        ) throws -> MessageOutcome {
            let start = start + .seconds(second)
            let message = try SightingsMessage(
                from: gateway, at: start, second: second, majors.map { ("\($0)/1", -80) })
            var readings: PackedReadings?
            return (other ?? site).measure(
                message, from: gateway, open: nil, wall: wall ?? start, sharing: &readings)
        }

        /// The events of these seconds.
        func results(
            _ seconds: Range<Int64>, of other: Site? = nil, majors: (Int64) -> [UInt16]
        ) throws -> [RegionEventResult] {
            var events: [RegionEventResult] = []
            for second in seconds {
                #expect(try take(second, majors: majors(second), to: other) == .new)
                let wall = start + .seconds(second + 3)
                let results = (other ?? site).advance(through: UnixSecond(containing: wall))
                events += results.regionEvents
            }
            return events
        }

        /// The published events: `enter 7` for a beacon of the major 7, `enter tag` for a person's.
        func run(
            _ seconds: Range<Int64>, of other: Site? = nil, majors: (Int64) -> [UInt16]
        ) throws -> [String] {
            try results(seconds, of: other, majors: majors).map(\.json).compactMap { event in
                guard case .string(let kind)? = event["event"] else { return nil }
                guard case .string(let beacon)? = event["beacon"] else {
                    return event["tag"] == nil ? nil : "\(kind) tag"
                }
                return "\(kind) \(beacon.split(separator: "/")[1])"
            }
        }
    }

    @Test("messages of a gateway without a queue become events and a state")
    func events() throws {
        let server = try RegionServer()
        let events = try server.run(0..<60) { $0 < 30 ? [7, 8] : [] }
        #expect(Set(events) == ["enter 7", "enter tag", "exit 7", "exit tag"])
        #expect(events.count == 4)
        let due = server.site.dueStates(isDurable: true, at: .now)
        let region = try #require(due.first { $0.item == "r" })
        let state = try JSON(parsing: region.document, maxBytes: 1 << 20)
        #expect(state["state"] == "ok")
        #expect(state["inside"] == 0)
    }

    @Test("with privacy counts, persons have no events, and count in the state")
    func privacy() throws {
        let server = try RegionServer(privacy: "counts")
        let events = try server.run(0..<30) { _ in [7, 8] }
        #expect(events == ["enter 7"])
        let due = server.site.dueStates(isDurable: true, at: .now)
        let region = try #require(due.first { $0.item == "r" })
        let state = try JSON(parsing: region.document, maxBytes: 1 << 20)
        #expect(state["inside"] == 2)
        #expect(state["byKind"]?["visitor"] == 1)
        #expect(state["byKind"]?["fixed"] == 1)
    }

    @Test("the API has the events of a region, and the store has no identity")
    func history() throws {
        let server = try RegionServer()
        server.commit(try server.results(0..<60) { $0 < 30 ? [7, 8] : [] })
        let response = try server.state.answer("/api/v1/sites/s/regions/r/events")
        guard case .bytes(let body) = response.body else { throw TestFailure("no body") }
        let answer = try JSON(parsing: body, maxBytes: 1 << 20)
        guard case .array(let events)? = answer["events"] else { throw TestFailure("no events") }
        #expect(events.count == 4)
        #expect(events.count { $0["beacon"] == .string("\(Self.uuid)/7/1") } == 2)
        #expect(events.allSatisfy { ($0["beacon"] == nil) != ($0["tag"] == nil) })
        let rows = try server.store.regionEvents(
            of: nil, at: "s", in: .min..<UnixTime.max, limit: 9)
        #expect(rows.count == 4)
        for row in rows {
            #expect(!String(decoding: row.document, as: UTF8.self).contains(Self.uuid))
        }
        let none = try server.state.answer("/api/v1/sites/s/regions/x/events")
        #expect(none.status == .notFound)
    }

    @Test("after a restart, a beacon that stays has no event, and one that has left exits")
    func restart() throws {
        let server = try RegionServer()
        server.commit(try server.results(0..<30) { _ in [7, 9] })
        let site = try server.restarted(after: 60)
        #expect(site.regions?.estimator.now.first?.unknown == 2)
        let events = try server.results(60..<120, of: site) { _ in [9] }
        #expect(events.map(\.event.kind) == [.exit])
        // No gateway has heard the beacon since: nothing is known of its silence.
        #expect(events.first?.event.why.silence == nil)
        #expect(site.regions?.estimator.now.first?.inside == 1)
        #expect(site.regions?.estimator.now.first?.unknown == 0)
    }

    @Test(
        "after a restart, a thing exits under its identity, and one that was unknown enters",
        arguments: [false, true])
    func identityAfterRestart(isRegistered: Bool) throws {
        let server = try RegionServer(isRegistered: isRegistered)
        server.commit(try server.results(0..<30) { _ in [7] })
        let left = try server.run(60..<120, of: try server.restarted(after: 60)) { _ in [] }
        #expect(left == ["exit 7"])
        let other = try RegionServer()
        let enter = try #require(try other.results(0..<30) { _ in [7] }.first)
        let unknown = RegionEvent(
            region: "r", tag: enter.event.tag, kind: .unknown, at: other.start + .seconds(30),
            decidedAt: other.start + .seconds(31), why: RegionEvent.Why())
        other.commit([
            enter,
            RegionEventResult(site: "s", unknown, of: enter.subject, isWithdrawn: false),
        ])
        let site = try other.restarted(after: 60)
        #expect(try other.run(60..<90, of: site) { _ in [7] } == ["enter 7"])
    }

    @Test("a site with the same regions takes over their state")
    func inheritance() throws {
        let server = try RegionServer()
        _ = try server.run(0..<30) { _ in [7] }
        let other = try RegionServer(acceptsUnsynced: true)
        other.site.inheritMeasurements(of: server.site, wall: server.start + .seconds(30))
        #expect(other.site.regions?.estimator.now.first?.inside == 1)
        #expect(other.site.regions?.layout.acceptsUnsyncedClocks == true)
        // The clock was 29 days ahead, and is right now: windows of the present must not be late.
        let right = try RegionServer()
        let days = Duration.seconds(29 * 86_400)
        right.site.inheritMeasurements(of: server.site, wall: server.start - days)
        #expect(right.site.regions?.estimator.newest == nil)
    }

    @Test("of many events, the newest ones are read")
    func newest() throws {
        let server = try RegionServer()
        server.commit(try server.results(0..<60) { $0 < 30 ? [7, 8] : [] })
        let all = try server.store.regionEvents(
            of: "r", at: "s", in: .min..<UnixTime.max, limit: 9)
        let some = try server.store.regionEvents(
            of: "r", at: "s", in: .min..<UnixTime.max, limit: 3)
        #expect(some.map(\.id) == all.suffix(3).map(\.id))
    }

    @Test("a person's window of a closed day, and one of an hour ago, count for nothing")
    func closedDay() throws {
        let noon = UnixTime(milliseconds: QueueServer.noon)
        let day = LocalDay(containing: noon).span
        let server = try RegionServer(start: day.lowerBound)
        #expect(try server.run(-60..<(-30)) { _ in [7, 8] } == ["enter 7"])
        let old = try server.take(-3700, majors: [7], wall: day.lowerBound)
        #expect(old == .late)
    }

    @Test("a window across the end of a day has a person's pseudonym of either day")
    func endOfDay() throws {
        let noon = UnixTime(milliseconds: QueueServer.noon)
        let border = LocalDay(containing: noon).span.upperBound
        let server = try RegionServer(start: border - .milliseconds(30_250))
        let events = try server.results(0..<60) { _ in [8] }.map(\.event)
        let enters = events.filter { $0.kind == .enter }
        #expect(Set(enters.map(\.tag)).count == 2)
        #expect(enters.last?.at == border)
        let exit = try #require(events.first { $0.kind == .exit })
        #expect(exit.tag == enters.first?.tag)
        #expect(exit.at < border + .seconds(1))
    }

    @Test("the staff have pseudonyms, and no events with privacy counts")
    func staff() throws {
        let server = try RegionServer()
        #expect(try server.run(0..<30) { _ in [6] } == ["enter tag"])
        let other = try RegionServer(privacy: "counts")
        #expect(try other.run(0..<30) { _ in [6] }.isEmpty)
    }

    @Test("an event that was withdrawn counts for nothing, wherever its withdrawal stands")
    func withdrawal() throws {
        let server = try RegionServer()
        let enter = try #require(try server.results(0..<30) { _ in [7] }.first)
        let withdrawal = RegionEventResult(
            site: enter.site, enter.event, of: enter.subject, isWithdrawn: true)
        #expect(StoredPresences([enter.row]).inside.count == 1)
        for rows in [[enter.row, withdrawal.row], [withdrawal.row, enter.row]] {
            #expect(StoredPresences(rows).inside.isEmpty)
        }
    }
}
