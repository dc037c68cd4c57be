import Beacons
import Configuration
import Contract
import Facts
import JSON
import Posix
import Primitives
import Queueing
import ResultStore
import ServerConfiguration
import Sightings
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("places of a server's beacons")
struct SiteRangingTests {
    static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    static let shelf = "\(uuid)/1/1"

    /// A floor of 10 × 10 m with two zones, gateways in three corners.
    static let plan = """
        {"type": "FeatureCollection", "crs": "local", "features": [
        {"type": "Feature", "properties": {"role": "floor"}, "geometry": {"type": "Polygon",
         "coordinates": [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]]}},
        {"type": "Feature", "properties": {"zone": "sales"}, "geometry": {"type": "Polygon",
         "coordinates": [[[0, 0], [5, 0], [5, 10], [0, 10], [0, 0]]]}},
        {"type": "Feature", "properties": {"zone": "store"}, "geometry": {"type": "Polygon",
         "coordinates": [[[5, 0], [10, 0], [10, 10], [5, 10], [5, 0]]]}},
        {"type": "Feature", "properties": {"gateway": "a"}, "geometry": {"type": "Point", "coordinates": [1, 1]}},
        {"type": "Feature", "properties": {"gateway": "b"}, "geometry": {"type": "Point", "coordinates": [9, 1]}},
        {"type": "Feature", "properties": {"gateway": "c"}, "geometry": {"type": "Point", "coordinates": [1, 9]}}]}
        """

    /// A site `s` with a plan and a registry: a fixed beacon, one of the staff, and visitors with the major number 9.
    final class Shop {
        let folder: TemporaryFolder
        let configuration: ServerConfiguration
        let registries: Registries
        let store: SQLiteStore
        let site: Site
        let state: ServerState
        let start = UnixTime(milliseconds: QueueServer.noon)
        var second: Int64 = 0

        init(plan: String = SiteRangingTests.plan) throws {
            folder = try TemporaryFolder()
            let uuid = SiteRangingTests.uuid
            let (beacons, zones) = (folder.file("beacons.csv"), folder.file("zones.geojson"))
            try """
            uuid,major,minor,kind,name,measuredPower
            \(uuid),1,1,fixed,shelf-17,-59
            \(uuid),2,1,staff,,
            \(uuid),9,*,visitor,,

            """.write(toFile: beacons, atomically: true, encoding: .utf8)
            try plan.write(toFile: zones, atomically: true, encoding: .utf8)
            let text = """
                {"mqtt": {"host": "b"}, "sites": [{"site": "s", "learningSeconds": 0,
                 "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}], "plan": "\(zones)",
                 "beacons": {"registry": "\(beacons)"}}]}
                """
            var configuration = try ServerConfiguration(parsing: Array(text.utf8))
            registries = try Registries(configuration, of: "server.json")
            registries.complete(&configuration)
            self.configuration = configuration
            store = SQLiteStore(
                path: folder.file("store.sqlite"), at: .now, merge: PeriodSummary.merged)
            site = Self.site(configuration, registries, store, folder, start)
            state = ServerState(
                session: Session(description: "1"), sites: [site], store: store,
                clock: ServerClock(
                    wall: (start + .seconds(120)).instant, isDisciplined: true, at: .now))
        }

        static func site(
            _ configuration: ServerConfiguration, _ registries: Registries, _ store: SQLiteStore,
            _ folder: TemporaryFolder, _ start: UnixTime
        ) -> Site {
            Site(
                configuration.sites[0],
                OpenDay(
                    LocalDay(containing: start), configuration.sites[0], levels: LearntLevels(),
                    allowedLateness: .seconds(60)), allowedLateness: .seconds(60),
                keepsVisits: true, keys: DayKeys(folder: folder.file("keys")), store: store,
                wall: start, registries: registries)
        }

        /// Takes seconds in which gateways hear beacons, MAJOR/MINOR, at these levels.
        func pass(
            _ seconds: Int64, _ heard: [String: [String: Double]], deaf: Set<String> = []
        ) throws -> Site.Results {
            var results = Site.Results()
            for _ in 0..<seconds {
                let at = start + .seconds(second)
                for gateway in ["a", "b", "c"] {
                    let sightings = (heard[gateway] ?? [:]).sorted { $0.key < $1.key }
                    let message = try SightingsMessage(
                        decoding: Array(
                            Self.message(
                                gateway, at, second, sightings, isDeaf: deaf.contains(gateway)
                            ).utf8))
                    _ = site.measure(message, from: gateway, open: nil, wall: at)
                }
                second += 1
                results = results + site.advance(through: UnixSecond(containing: at + .seconds(3)))
            }
            return results
        }

        private static func message(
            _ gateway: String, _ at: UnixTime, _ second: Int64,
            _ sightings: [(key: String, value: Double)], isDeaf: Bool
        ) -> String {
            let list = sightings.map { beacon, level -> String in
                let numbers = beacon.split(separator: "/")
                let power = Int(level)
                return """
                    {"type": "ibeacon", "uuid": "\(SiteRangingTests.uuid)", "major": \(numbers[0]), "minor": \(numbers[1]),
                     "measuredPower": -59, "count": 2, "firstSeen": 0, "lastSeen": 500, "maxAt": 0, "senders": 1,
                     "power": {"mean": \(level), "centroid": 250},
                     "rssi": {"min": \(power), "max": \(power), "mean": \(power), "stddev": 0, "last": \(power)}}
                    """
            }
            return """
                {"v": 1, "site": "s", "gateway": "\(gateway)", "session": "a",
                 "seq": \(second + 10_000), "clock": "synced",
                 "window": {"start": \(at.milliseconds), "end": \(at.milliseconds + 1000)},
                 "radio": {"state": "\(isDeaf ? "deaf" : "hearing")", "reports": 2, "beacons": 2, "filtered": 0, "malformed": 0,
                 "implausible": 0, "dropped": 0}, "sightings": [\(list.joined(separator: ","))]}
                """
        }

        /// The states of a kind that are published in ten seconds.
        func states(_ kind: PresentKind = .places) throws -> [JSON] {
            try (0..<10).flatMap { _ -> [JSON] in
                _ = try pass(1, [:])
                return site.measurements.flatMap { $0.states(absences: [:], isDurable: true) }
                    .filter { $0.kind.name == kind.kind.name }.map { $0.document(1) }
            }
        }
    }

    /// Levels near the gateway a.
    static let near = ["a": -60.0, "b": -78, "c": -78]

    static func heard(_ beacons: [String]) -> [String: [String: Double]] {
        near.mapValues { level in
            Dictionary(beacons.map { ($0, level) }, uniquingKeysWith: { one, _ in one })
        }
    }

    @Test("a registered thing has a place, and no person has one")
    func places() throws {
        let shop = try Shop()
        _ = try shop.pass(30, Self.heard(["1/1", "2/1", "9/5"]))
        let states = try shop.states()
        #expect(states.map { $0["beacon"] } == [.string(Self.shelf)])
        #expect(states.first?["state"] == "known")
        #expect(states.first?["zone"] == "sales")
        #expect(states.first?["nearest"]?["gateway"] == "a")
        #expect(shop.site.layout.measuringGateways == ["a", "b", "c", "e", "t"])
        #expect(PresentKind.places.items(shop.site.layout) == [Self.shelf])
    }

    @Test("a deaf gateway makes a silent beacon unknown, and names itself")
    func deaf() throws {
        let shop = try Shop()
        _ = try shop.pass(30, Self.heard(["1/1"]))
        _ = try shop.pass(60, [:], deaf: ["a"])
        let states = try shop.states()
        #expect(states.first?["state"] == "unknown")
        #expect(states.first?["place"] == .null)
        guard case .array(let reasons)? = states.first?["reasons"] else {
            Issue.record("no reasons")
            return
        }
        #expect(reasons.map { $0["gateway"] } == ["a"])
        #expect(reasons.map { $0["state"] } == ["deaf"])
    }

    @Test("each fault of a plan is a line with its file")
    func faultyPlan() throws {
        let faulty = Self.plan.replacing("\"zone\": \"store\"", with: "\"zone\": \"sales\"")
        let error = #expect(throws: ConfigurationError.self) { _ = try Shop(plan: faulty) }
        #expect(error?.lines.count == 1)
        #expect(error?.lines.first?.contains("zones.geojson") == true)
    }

    @Test("another plan begins places anew, and the same one keeps them")
    func reload() throws {
        let shop = try Shop()
        _ = try shop.pass(30, Self.heard(["1/1"]))
        shop.site.use(shop.registries, wall: shop.start + .seconds(30))
        #expect(shop.site.ranging?.estimator.newest != nil)
        let other = try Shop(plan: Self.plan.replacing("[9, 1]", with: "[9, 2]"))
        shop.site.use(other.registries, wall: shop.start + .seconds(30))
        #expect(shop.site.ranging?.estimator.newest == nil)
    }
}
