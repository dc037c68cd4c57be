import Contract
import Facts
import Logging
import MQTT
import Posix
import Primitives
import Queueing
import ResultStore
import Results
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("a window across the end of a day")
struct DayBorderTests {
    private let server: QueueServer
    private let store: SQLiteStore
    private let keys: DayKeys
    /// The end of the day. Seconds count from here.
    private let end: UnixTime

    init() throws {
        server = try QueueServer()
        store = server.store()
        keys = DayKeys(folder: server.folder.file("keys"))
        end = try server.site(store).today.day.span.upperBound
    }

    private func message(
        _ gateway: String, _ seconds: Range<Int>, sighting: String = ""
    ) -> Message {
        let start = end.milliseconds + Int64(seconds.lowerBound) * 1000
        let text = """
            {"v":1,"site":"s","gateway":"\(gateway)","session":"a","seq":\(seconds.lowerBound + 1000),\
            "window":{"start":\(start),"end":\(start + Int64(seconds.count) * 1000)},"clock":"synced",\
            "radio":{"reports":0,"beacons":0,"filtered":0,"malformed":0,"implausible":0,"dropped":0},\
            "sightings":[\(sighting)]}
            """
        return Message(topic: "sightline/v1/s/\(gateway)/sightings", payload: Array(text.utf8))
    }

    /// The messages of both gateways: `e` sends one for each of these windows, and `t` one for each of their seconds.
    private func messages(_ windows: [Range<Int>]) -> [Message] {
        let seconds = windows[0].lowerBound..<windows[windows.count - 1].upperBound
        return windows.map { message("e", $0) } + seconds.map { message("t", $0..<$0 + 1) }
    }

    /// Hands messages to a site, and stores what is new.
    ///
    /// - Returns: the number of messages by outcome.
    private func deliver(_ messages: [Message], to site: Site) -> [String: Int64] {
        let wall = Instant(microseconds: (end.milliseconds + 600_000) * 1000)
        let state = ServerState(
            session: .begin(), sites: [site], store: store,
            clock: ServerClock(wall: wall, isDisciplined: true, at: .now))
        var ingest = Ingest(
            root: "sightline/v1", results: ResultTopics(root: "sightline/results/v1"),
            log: Log(level: .error))
        for message in messages { ingest.on(message, state, at: .now) }
        #expect(store.commit(ingest.takeBatch(), at: .now) == .durable)
        return Dictionary(
            state.counts.all.map { ($0.key.outcome, $0.value) }, uniquingKeysWith: +)
    }

    /// Closes the site's day, and stores its results.
    ///
    /// - Returns: its minutes.
    private func close(_ site: Site) -> [StoreBatch.Minute] {
        let results = site.closeWholeDay(wall: site.today.day.span.upperBound + .seconds(60))
        var (batch, uncommitted) = (StoreBatch(), UncommittedResults())
        uncommitted.add(results, site: "s")
        uncommitted.add(to: &batch)
        #expect(store.commit(batch, at: .now) == .durable)
        return results.minutes
    }

    /// The minutes of both days, from messages of two minutes before the border to five minutes behind it.
    ///
    /// - Parameters:
    ///   - windows: of gateway `e`, which divide -3..<3.
    ///   - isRestarted: whether the server restarts in the second day.
    private func minutes(_ windows: [Range<Int>], isRestarted: Bool) throws -> [StoreBatch.Minute] {
        let seconds = { (range: Range<Int>) in range.map { $0..<$0 + 1 } }
        let all = messages(seconds(-120..<(-3)) + windows + seconds(3..<300))
        var site = try server.site(store)
        #expect(deliver(all, to: site) == ["new": Int64(all.count)])
        let first = close(site)
        if isRestarted {
            site = try recovered(
                server.configuration, store, keys: keys, wall: end + .seconds(300))
            #expect(site.today.day.span.lowerBound == end)
            #expect(deliver(all, to: site)["new"] == nil)
        }
        return first + close(site)
    }

    @Test(
        "it counts in both days, as a window of each would, also after a restart",
        arguments: [false, true])
    func bothDays(isRestarted: Bool) throws {
        defer { store.close() }
        let found = try minutes([-3..<3], isRestarted: isRestarted)
        #expect(found.map(\.start) == (-2..<5).map { end + .seconds($0 * 60) })
        #expect(found.allSatisfy { $0.isFinal && $0.end == $0.start + .seconds(60) })
        let stored = try store.minutes(of: "q", at: "s", in: 0..<UnixTime.max)
        #expect(stored.map(\.document) == found.map(\.document))

        let other = try DayBorderTests()
        defer { other.store.close() }
        #expect(try other.minutes([-3..<0, 0..<3], isRestarted: isRestarted) == found)
    }

    @Test("it is taken in the second day alone when the first one is closed")
    func late() throws {
        defer { store.close() }
        let site = try server.site(store)
        #expect(deliver([message("e", -100..<(-99))], to: site) == ["new": 1])
        _ = close(site)
        let across = message("e", -3..<3)
        #expect(deliver([across], to: site) == ["new": 1])
        #expect(deliver([across], to: site) == ["repeated": 1])
        #expect(site.today.estimator.newest == end + .seconds(3))
    }

    @Test(
        "a window of the next day makes a key, even without a beacon: the key is not missing after a restart"
    )
    func key() throws {
        defer { store.close() }
        let site = try server.site(store)
        #expect(deliver([message("e", 1..<2)], to: site) == ["new": 1])
        let keys = DayKeys(folder: server.folder.file("keys"), hasWindows: { _, _ in true })
        _ = keys.key(of: "s", LocalDay(containing: end))
        #expect(keys.damages == 0)
    }

    @Test("its tags have a pseudonym of each day, in the day in which they were heard")
    func pseudonyms() throws {
        defer { store.close() }
        let site = try server.site(store)
        let sightings = [(1, 1000, 2000), (2, 2500, 4500), (3, 4000, 5000)].map {
            """
            {"type":"ibeacon","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":1,"minor":\($0.0),\
            "measuredPower":-59,"count":3,"rssi":{"min":-82,"max":-79,"mean":-80,"stddev":1,"last":-82},\
            "power":{"mean":-80,"centroid":\($0.1 + 500)},"firstSeen":\($0.1),"lastSeen":\($0.2),"maxAt":\($0.1),"senders":1}
            """
        }
        let across = message("e", -3..<3, sighting: sightings.joined(separator: ","))
        #expect(deliver([across], to: site) == ["new": 1])
        var windows: [WindowFact] = []
        _ = try store.facts(of: "s", in: 0..<UnixTime.max) { windows.append($1) }
        try #require(windows.map(\.span) == [end - .seconds(3)..<end, end..<end + .seconds(3)])
        let tags = windows.map { Set($0.readings.map(\.tag)) }
        #expect(tags.map(\.count) == [2, 2])
        #expect(tags[0].isDisjoint(with: tags[1]))
    }
}
