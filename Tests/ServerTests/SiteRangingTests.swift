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
    static let uuid = RegistrySite.uuid
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

    /// Levels near the gateway a.
    static let near = ["a": -60.0, "b": -78, "c": -78]

    static func heard(_ beacons: [String]) -> [String: [String: Double]] {
        near.mapValues { level in
            Dictionary(beacons.map { ($0, level) }, uniquingKeysWith: { one, _ in one })
        }
    }

    @Test("a registered thing has a place, and no person has one")
    func places() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(30, Self.heard(["1/1", "2/1", "9/5"]))
        let states = try shop.places()
        #expect(states.map { $0["beacon"] } == [.string(Self.shelf)])
        #expect(states.first?["state"] == "known")
        #expect(states.first?["zone"] == "sales")
        #expect(states.first?["nearest"]?["gateway"] == "a")
        #expect(shop.site.layout.measuringGateways == ["a", "b", "c", "e", "t"])
        #expect(PresentKind.places.items(shop.site.layout) == [Self.shelf])
    }

    @Test("the list of places is a table too, with quoted names")
    func table() throws {
        let shop = try RegistrySite(
            rows: Self.registry.replacing("shelf-17", with: "\"shelf, left\""))
        _ = try shop.pass(30, Self.heard(["1/1"]))
        for second in 0..<10 {
            _ = try shop.pass(1, Self.heard(["1/1"]))
            _ = shop.site.dueStates(isDurable: true, at: .now + .seconds(Int64(second) * 3))
        }
        let answer = try shop.state.answer("/api/v1/sites/s/places?format=csv")
        let lines = String(decoding: try shop.bytes(answer), as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("place.x,place.y,place.radius,zone,") == true)
        #expect(lines.last?.contains("\(Self.shelf),\"shelf, left\",fixed,") == true)
    }

    @Test("a deaf gateway makes a silent beacon unknown, and names itself")
    func deaf() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(30, Self.heard(["1/1"]))
        _ = try shop.pass(60, [:], deaf: ["a"])
        let states = try shop.places()
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
        let shop = try RegistrySite(rows: old)
        _ = try shop.pass(30, Self.heard(["1/1"]))
        let states = try shop.places()
        #expect(states.map { $0["state"] } == ["retired"])
        #expect(states.first?["place"] == .null)
    }

    @Test("a beacon that the inventory takes for a clone has no place")
    func clone() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(30, Self.heard(["1/1"]))
        #expect(try shop.places().first?["state"] == "known")
        _ = try shop.pass(120, Self.heard(["1/1"]), senders: 2)
        _ = try shop.pass(20, Self.heard(["1/1"]))
        let states = try shop.places()
        #expect(states.first?["state"] == "clone")
        #expect(states.first?["place"] == .null)
    }

    @Test("all formats of a visitor's row have one pseudonym")
    func formats() throws {
        let shop = try RegistrySite()
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
        let shop = try RegistrySite(rows: Self.registry + "\(Self.uuid),1,2,fixed,shelf-18,-59,\n")
        var items: Set<String> = []
        for _ in 0..<10 {
            _ = try shop.pass(2, [:])
            items.formUnion(shop.due(.places).map { "\($0["beacon"] ?? .null)" })
        }
        #expect(items.count == 2)
    }

    @Test("each fault of a plan is a line with its file")
    func faultyPlan() throws {
        let faulty = Self.plan.replacing("\"zone\": \"store\"", with: "\"zone\": \"sales\"")
        let error = #expect(throws: ConfigurationError.self) { _ = try RegistrySite(plan: faulty) }
        #expect(error?.lines.count == 1)
        #expect(error?.lines.first?.contains("zones.geojson") == true)
    }

    @Test("another plan begins places anew, and the same one keeps them")
    func reload() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(30, Self.heard(["1/1"]))
        try shop.site.use(shop.registries, wall: shop.start + .seconds(30))
        #expect(shop.site.ranging?.estimator.newest != nil)
        let other = try RegistrySite(plan: Self.plan.replacing("[9, 1]", with: "[9, 2]"))
        try shop.site.use(other.registries, wall: shop.start + .seconds(30))
        #expect(shop.site.ranging?.estimator.newest == nil)
    }

    @Test("a site that goes on with its places follows the new layout")
    func newLayout() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(30, Self.heard(["1/1"]))
        var configuration = shop.configuration
        configuration.sites[0].acceptsUnsyncedClocks = true
        let again = shop.restarted(configuration)
        again.inheritMeasurements(of: shop.site, wall: shop.start + .seconds(30))
        #expect(again.ranging?.estimator.newest != nil)
        #expect(again.ranging?.layout.acceptsUnsyncedClocks == true)
    }

    @Test("a gateway of a plan has a name of topics; the nearest one is proposed")
    func gatewayNames() throws {
        let faulty = Self.plan.replacing("\"gateway\": \"c\"", with: "\"gateway\": \"e/1\"")
        let error = #expect(throws: ConfigurationError.self) { _ = try RegistrySite(plan: faulty) }
        #expect(error?.lines.count == 1)
        #expect(error?.lines.first?.contains("the gateway “e/1”") == true)
    }

    @Test("the plan of the API is that of the file")
    func plan() throws {
        let shop = try RegistrySite()
        let answer = try shop.state.answer("/api/v1/sites/s/plan")
        let document = PlanDocument(parsing: try shop.bytes(answer))
        #expect(document.plan == shop.registries.plan(of: "s"))
    }

    @Test("zones have numbers of persons and things, and nothing of a person")
    func zones() throws {
        let shop = try RegistrySite()
        _ = try shop.pass(5, Self.heard(["1/1", "2/1", "9/5", "9/6"]))
        // Not every beacon had its turn.
        #expect(shop.due(.zones).allSatisfy { $0["visitors"] == .null })
        _ = try shop.pass(25, Self.heard(["1/1", "2/1", "9/5", "9/6"]))
        let zones = shop.due(.zones)
        #expect(zones.map { $0["zone"] } == ["sales", "store"])
        let sales = try #require(zones.first)
        #expect(sales["visitors"]?["high"] == 2)
        #expect(sales["staff"] == nil)
        #expect(sales["things"]?["high"] == 1)
        #expect(!zones.contains { $0.text.contains(Self.uuid) })
        _ = try shop.pass(60, [:])
        #expect(shop.due(.zones).first?["visitors"]?["high"] == 0)
    }
}

extension RegistrySite {
    /// A fixed beacon, one of the staff, and visitors with the major numbers 3 and 9.
    convenience init(
        plan: String = SiteRangingTests.plan, rows: String = SiteRangingTests.registry
    ) throws {
        try self.init(registry: rows, plan: plan)
    }

    /// Takes seconds in which gateways hear beacons, MAJOR/MINOR, at these levels.
    func pass(
        _ seconds: Int64, _ heard: [String: [String: Double]], deaf: Set<String> = [],
        senders: Int = 1, of gateways: [String] = ["a", "b", "c"]
    ) throws -> Site.Results {
        var results = Site.Results()
        for _ in 0..<seconds {
            let at = start + .seconds(second)
            for gateway in gateways {
                let sightings = (heard[gateway] ?? [:]).sorted { $0.key < $1.key }
                let message = try SightingsMessage(
                    from: gateway, at: at, second: second, sightings.map { ($0.key, $0.value) },
                    isDeaf: deaf.contains(gateway), senders: senders)
                var readings: PackedReadings?
                _ = site.takeForInventory(message, from: gateway, sharing: &readings)
                _ = site.measure(
                    message, from: gateway, open: nil, wall: at, sharing: &readings)
            }
            second += 1
            results = results + site.advance(through: UnixSecond(containing: at + .seconds(3)))
        }
        return results + site.takeEdits()
    }

    /// The states of a kind that are due, of a site that measures.
    func due(_ kind: PresentKind) -> [JSON] {
        site.measurements.indices.flatMap {
            site.measurements[$0].states(absences: [:], isDurable: true)
        }.filter { $0.kind.name == kind.kind.name }.map { $0.document(1) }
    }

    /// The states of places that are published in ten seconds.
    func places() throws -> [JSON] {
        try (0..<10).flatMap { _ -> [JSON] in
            _ = try pass(1, [:])
            return due(.places)
        }
    }

    /// Stores the labels of results, as a commit does.
    func store(_ results: Site.Results) {
        var batch = StoreBatch()
        batch.placeLabels = results.placeLabels
        #expect(store.commit(batch, at: .now) == .durable)
    }

    func post(_ body: String) throws -> (status: Status, json: JSON) {
        let answer = try state.answer(
            "/api/v1/sites/s/labels", .post, body: body, scope: .manage)
        return (answer.status, try JSON(parsing: try bytes(answer), maxBytes: 1 << 20))
    }

    func bytes(_ answer: Response) throws -> [UInt8] {
        guard case .bytes(let bytes) = answer.body else { throw TestFailure("no body") }
        return bytes
    }
}
