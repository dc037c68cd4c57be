import Beacons
import Configuration
import Contract
import Facts
import HTTP
import JSON
import Posix
import Primitives
import Queueing
import Ranging
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

    static let registry = """
        uuid,major,minor,kind,name,measuredPower,until
        \(uuid),1,1,fixed,shelf-17,-59,
        \(uuid),2,1,staff,,,
        \(uuid),3,1,visitor,,,
        \(uuid),9,*,visitor,,,

        """

    /// A site `s` with a plan and a registry: a fixed beacon, one of the staff, and visitors with the major numbers 3 and 9.
    final class Shop {
        let folder: TemporaryFolder
        let configuration: ServerConfiguration
        let registries: Registries
        let store: SQLiteStore
        let site: Site
        let state: ServerState
        let start = UnixTime(milliseconds: QueueServer.noon)
        var second: Int64 = 0

        init(
            plan: String = SiteRangingTests.plan, registry: String = SiteRangingTests.registry
        ) throws {
            folder = try TemporaryFolder()
            let (beacons, zones) = (folder.file("beacons.csv"), folder.file("zones.geojson"))
            try registry.write(toFile: beacons, atomically: true, encoding: .utf8)
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
            _ seconds: Int64, _ heard: [String: [String: Double]], deaf: Set<String> = [],
            senders: Int = 1
        ) throws -> Site.Results {
            var results = Site.Results()
            for _ in 0..<seconds {
                let at = start + .seconds(second)
                for gateway in ["a", "b", "c"] {
                    let sightings = (heard[gateway] ?? [:]).sorted { $0.key < $1.key }
                    let message = try SightingsMessage(
                        decoding: Array(
                            Self.message(
                                gateway, at, second, sightings, isDeaf: deaf.contains(gateway),
                                senders: senders
                            ).utf8))
                    _ = site.takeForInventory(message, from: gateway)
                    _ = site.measure(message, from: gateway, open: nil, wall: at)
                }
                second += 1
                results = results + site.advance(through: UnixSecond(containing: at + .seconds(3)))
            }
            return results
        }

        private static func message(
            _ gateway: String, _ at: UnixTime, _ second: Int64,
            _ sightings: [(key: String, value: Double)], isDeaf: Bool, senders: Int
        ) -> String {
            let list = sightings.map { beacon, level -> String in
                let numbers = beacon.split(separator: "/")
                let power = Int(level)
                return """
                    {"type": "ibeacon", "uuid": "\(SiteRangingTests.uuid)", "major": \(numbers[0]), "minor": \(numbers[1]),
                     "measuredPower": -59, "count": 2, "firstSeen": 0, "lastSeen": 500, "maxAt": 0, "senders": \(senders),
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
                return site.measurements.indices.flatMap {
                    site.measurements[$0].states(absences: [:], isDurable: true)
                }
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

    @Test("the list of places is a table too, with quoted names")
    func table() throws {
        let shop = try Shop(registry: Self.registry.replacing("shelf-17", with: "\"shelf, left\""))
        _ = try shop.pass(30, Self.heard(["1/1"]))
        for second in 0..<10 {
            _ = try shop.pass(1, Self.heard(["1/1"]))
            _ = shop.site.dueStates(isDurable: true, at: .now + .seconds(Int64(second) * 3))
        }
        let answer = try shop.state.answer("/api/v1/sites/s/places?format=csv")
        let lines = String(decoding: try bytes(answer), as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("place.x,place.y,place.radius,zone,") == true)
        #expect(lines.last?.contains("\(Self.shelf),\"shelf, left\",fixed,") == true)
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

    @Test("a retired beacon is published without a place")
    func retired() throws {
        let old = Self.registry.replacing("shelf-17,-59,", with: "shelf-17,-59,2020-01-01")
        let shop = try Shop(registry: old)
        _ = try shop.pass(30, Self.heard(["1/1"]))
        let states = try shop.states()
        #expect(states.map { $0["state"] } == ["retired"])
        #expect(states.first?["place"] == .null)
    }

    @Test("a beacon that the inventory takes for a clone has no place")
    func clone() throws {
        let shop = try Shop()
        _ = try shop.pass(30, Self.heard(["1/1"]))
        #expect(try shop.states().first?["state"] == "known")
        _ = try shop.pass(120, Self.heard(["1/1"]), senders: 2)
        _ = try shop.pass(20, Self.heard(["1/1"]))
        let states = try shop.states()
        #expect(states.first?["state"] == "clone")
        #expect(states.first?["place"] == .null)
    }

    @Test("all formats of a visitor's row have one pseudonym")
    func formats() throws {
        let shop = try Shop()
        let uuid = try #require(ProximityUUID(Self.uuid))
        let visitor = BeaconIdentity(uuid: uuid, major: 3, minor: 1)
        let tags = BeaconIdentity.Format.allCases.map {
            shop.site.tag(visitor.translated(to: $0), at: shop.start)
        }
        #expect(tags.first != .some(nil))
        #expect(Set(tags).count == 1)
    }

    @Test("all places come in ten calls, also if the clock passes several seconds between them")
    func turns() throws {
        let shop = try Shop(registry: Self.registry + "\(Self.uuid),1,2,fixed,shelf-18,-59,\n")
        var items: Set<String> = []
        for _ in 0..<10 {
            _ = try shop.pass(2, [:])
            for index in shop.site.measurements.indices {
                let states = shop.site.measurements[index].states(
                    absences: [:], isDurable: true)
                items.formUnion(states.filter { $0.kind.name == "place" }.map(\.item))
            }
        }
        #expect(items.count == 2)
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
        try shop.site.use(shop.registries, wall: shop.start + .seconds(30))
        #expect(shop.site.ranging?.estimator.newest != nil)
        let other = try Shop(plan: Self.plan.replacing("[9, 1]", with: "[9, 2]"))
        try shop.site.use(other.registries, wall: shop.start + .seconds(30))
        #expect(shop.site.ranging?.estimator.newest == nil)
    }

    @Test("an edit of the registry keeps places and running labels, and retires a beacon")
    func editedRegistry() throws {
        let shop = try Shop()
        _ = try shop.pass(110, Self.heard(["1/1"]))
        _ = try post(shop, #"{"beacon": "shelf-17", "zone": "sales"}"#)
        _ = try shop.pass(40, Self.heard(["1/1"]))
        let more = try Shop(registry: Self.registry + "\(Self.uuid),1,2,fixed,shelf-18,-59,\n")
        try shop.site.use(more.registries, wall: shop.start + .seconds(150))
        #expect(shop.site.ranging?.labels.labels.map(\.state) == [.standing])
        _ = try shop.pass(40, Self.heard(["1/1", "1/2"]))
        #expect(shop.site.ranging?.labels.labels.map(\.state) == [.learnt])
        #expect(shop.site.ranging?.estimator.now(Tag(try Self.identity(2)), []).state == .known)
        let old = Self.registry.replacing("shelf-17,-59,", with: "shelf-17,-59,2020-01-01")
        try shop.site.use(try Shop(registry: old).registries, wall: shop.start + .seconds(190))
        #expect(try shop.states().map { $0["state"] } == ["retired"])
    }

    static func identity(_ minor: UInt16) throws -> BeaconIdentity {
        BeaconIdentity(uuid: try #require(ProximityUUID(uuid)), major: 1, minor: minor)
    }

    @Test("a site that goes on with its places follows the new layout")
    func newLayout() throws {
        let shop = try Shop()
        _ = try shop.pass(30, Self.heard(["1/1"]))
        var configuration = shop.configuration
        configuration.sites[0].acceptsUnsyncedClocks = true
        let again = Shop.site(
            configuration, shop.registries, shop.store, shop.folder, shop.start)
        again.inheritMeasurements(of: shop.site, wall: shop.start + .seconds(30))
        #expect(again.ranging?.estimator.newest != nil)
        #expect(again.ranging?.layout.acceptsUnsyncedClocks == true)
    }

    @Test("labels of the store join one that came before them, once")
    func lateRestore() throws {
        let shop = try Shop()
        _ = try shop.pass(110, Self.heard(["1/1"]))
        _ = try post(shop, #"{"beacon": "shelf-17", "zone": "sales"}"#)
        var batch = StoreBatch()
        batch.placeLabels = try shop.pass(80, Self.heard(["1/1"])).placeLabels
        #expect(shop.store.commit(batch, at: .now) == .durable)
        let again = Shop.site(
            shop.configuration, shop.registries, shop.store, shop.folder, shop.start)
        let request = try LabelRequest(Array(#"{"beacon": "shelf-17", "zone": "store"}"#.utf8))
        _ = try again.add(request, wall: shop.start + .seconds(300))
        try again.restoreLabels()
        #expect(again.ranging?.labels.labels.map(\.state) == [.learnt, .standing])
        try again.restoreLabels()
        #expect(again.ranging?.labels.labels.count == 2)
    }

    @Test("a stored label teaches nothing of a gateway that has moved")
    func movedGateway() throws {
        let shop = try Shop()
        _ = try shop.pass(110, Self.heard(["1/1"]))
        _ = try post(shop, #"{"beacon": "shelf-17", "zone": "sales"}"#)
        var batch = StoreBatch()
        batch.placeLabels = try shop.pass(80, Self.heard(["1/1"])).placeLabels
        #expect(shop.store.commit(batch, at: .now) == .durable)
        let other = try Shop(plan: Self.plan.replacing("[9, 1]", with: "[9, 2]"))
        try shop.site.use(other.registries, wall: shop.start + .seconds(200))
        let levels = try #require(shop.site.ranging?.labels.known.first).levels
        #expect(levels.map { $0 == nil } == [false, true, false])
    }

    @Test("a gateway of a plan has a name of topics; the nearest one is proposed")
    func gatewayNames() throws {
        let faulty = Self.plan.replacing("\"gateway\": \"c\"", with: "\"gateway\": \"e/1\"")
        let error = #expect(throws: ConfigurationError.self) { _ = try Shop(plan: faulty) }
        #expect(error?.lines.count == 1)
        #expect(error?.lines.first?.contains("the gateway “e/1”") == true)
    }

    private func post(_ shop: Shop, _ body: String) throws -> (status: Status, json: JSON) {
        let answer = try shop.state.answer(
            "/api/v1/sites/s/labels", .post, body: body, scope: .manage)
        return (answer.status, try JSON(parsing: try bytes(answer), maxBytes: 1 << 20))
    }

    private func bytes(_ answer: Response) throws -> [UInt8] {
        guard case .bytes(let bytes) = answer.body else { throw TestFailure("no body") }
        return bytes
    }

    @Test("a beacon that stands in a zone is learnt, stored, and known after a restart")
    func label() throws {
        let shop = try Shop()
        // The server's clock of the test stands at two minutes.
        _ = try shop.pass(110, Self.heard(["1/1"]))
        let (status, json) = try post(shop, #"{"beacon": "SHELF-17", "zone": "sales"}"#)
        #expect(status == .ok)
        #expect(json["beacon"] == .string(Self.shelf))
        #expect(json["state"] == "standing")
        let results = try shop.pass(80, Self.heard(["1/1"]))
        let label = try #require(shop.site.ranging?.labels.labels.first)
        #expect(label.state == .learnt)
        #expect(shop.site.ranging?.estimator.fit.count == 3)
        let row = try #require(results.placeLabels.first)
        #expect(!String(decoding: row.document, as: UTF8.self).contains(Self.uuid))
        #expect(!row.beacon.contains(Self.uuid))
        var batch = StoreBatch()
        batch.placeLabels = results.placeLabels
        #expect(shop.store.commit(batch, at: .now) == .durable)

        let again = Shop.site(
            shop.configuration, shop.registries, shop.store, shop.folder, shop.start)
        try again.restoreLabels()
        #expect(again.ranging?.labels.labels.map(\.state) == [.learnt])
        #expect(again.ranging?.labels.labels.first?.known == label.known)
        let second = UnixSecond(containing: shop.start + .seconds(200))
        for _ in 0..<5 { _ = again.advance(through: second) }
        #expect(again.ranging?.estimator.fit.count == 3)
    }

    @Test("a beacon that no gateway hears is no label")
    func unheard() throws {
        let shop = try Shop()
        _ = try shop.pass(110, Self.heard(["2/1"]))
        _ = try post(shop, #"{"beacon": "shelf-17", "zone": "sales"}"#)
        let results = try shop.pass(80, [:])
        #expect(results.placeLabels.isEmpty)
        #expect(shop.site.ranging?.labels.labels.map(\.state) == [.unheard])
        let list = try shop.state.answer("/api/v1/sites/s/labels")
        #expect(String(decoding: try bytes(list), as: UTF8.self).contains("unheard"))
    }

    @Test(
        "a label is refused with one sentence",
        arguments: [
            (#"{"beacon": "shelf-17", "zone": "salse"}"#, "did you mean “sales”?"),
            (#"{"beacon": "shelf-17", "zone": "roof"}"#, "its zones are sales, store."),
            (#"{"beacon": "shef-17", "zone": "sales"}"#, "did you mean “shelf-17”?"),
            (
                #"{"beacon": "e2c56db5-dffb-48d2-b060-d0f5a71096e0/2/1", "zone": "sales"}"#,
                "is no fixed beacon, gateway or asset"
            ),
            (#"{"beacon": "shelf-17", "zone": "sales", "x": 8, "y": 1}"#, "outside of the zone"),
            (#"{"beacon": "shelf-17", "zone": "sales", "x": 8}"#, "x and y belong together"),
            (#"{"beacon": "shelf-17"}"#, "zone"), ("", "can't be read"), ("[]", "object"),
            (#"{"beacon": "shelf-17", "zone": "sales", "seconds": 9}"#, "10"),
        ])
    func refusals(body: String, words: String) throws {
        let shop = try Shop()
        let (status, json) = try post(shop, body)
        #expect(status == .notFound || status == .badRequest)
        guard case .string(let detail)? = json["detail"] else { throw TestFailure("no detail") }
        #expect(detail.contains(words), "\(detail)")
        #expect(shop.site.ranging?.labels.labels.isEmpty == true)
    }

    @Test("a beacon stands for one label at a time")
    func conflict() throws {
        let shop = try Shop()
        #expect(try post(shop, #"{"beacon": "shelf-17", "zone": "sales"}"#).status == .ok)
        #expect(try post(shop, #"{"beacon": "shelf-17", "zone": "store"}"#).status == .conflict)
    }

    @Test("the plan of the API is that of the file")
    func plan() throws {
        let shop = try Shop()
        let answer = try shop.state.answer("/api/v1/sites/s/plan")
        let document = PlanDocument(parsing: try bytes(answer))
        #expect(document.plan == shop.registries.plan(of: "s"))
    }

    @Test("zones have numbers of persons and things, and nothing of a person")
    func zones() throws {
        let shop = try Shop()
        _ = try shop.pass(30, Self.heard(["1/1", "2/1", "9/5", "9/6"]))
        let zones = shop.site.measurements.indices.flatMap {
            shop.site.measurements[$0].states(absences: [:], isDurable: true)
        }.filter { $0.kind.name == "zone" }.map { $0.document(1) }
        #expect(zones.map { $0["zone"] } == ["sales", "store"])
        let sales = try #require(zones.first)
        #expect(sales["visitors"]?["high"] == 2)
        #expect(sales["staff"] == nil)
        #expect(sales["things"]?["high"] == 1)
        #expect(!zones.contains { $0.text.contains(Self.uuid) })
        _ = try shop.pass(60, [:])
        let later = shop.site.measurements.indices.flatMap {
            shop.site.measurements[$0].states(absences: [:], isDurable: true)
        }.first { $0.kind.name == "zone" }?.document(1)
        #expect(later?["visitors"]?["high"] == 0)
    }
}
