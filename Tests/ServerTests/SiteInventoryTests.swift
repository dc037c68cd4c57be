import Beacons
import Configuration
import Contract
import Facts
import Foundation
import Inventory
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

@Suite("network of beacons of a server")
struct SiteInventoryTests {
    private static let uuid = RegistrySite.uuid

    @Test("a visitor's beacon is in no document and no event, whatever it sends")
    func visitors() throws {
        let shop = try RegistrySite("\(Self.uuid),1,1,fixed,shelf\n\(Self.uuid),1,2,staff,\n")
        let results = try shop.hear(0..<200, [(1, 1), (1, 2), (9, 3), (5, 5)])
        #expect(shop.states.map { $0["beacon"] } == [.string("\(Self.uuid)/1/1")])
        #expect(shop.states.first?["state"] == "learning")
        let events = results.beaconEvents.map(\.json)
        #expect(events.map { $0["event"] } == ["unregistered"])
        #expect(events.map { $0["beacon"] } == [.string("\(Self.uuid)/5/5")])
    }

    @Test("the list of beacons begins with the work list; the others have the registry's order")
    func order() throws {
        let shop = try RegistrySite(
            [3, 1, 2].map { "\(Self.uuid),1,\($0),fixed,\n" }.joined())
        _ = try shop.hear(0..<100, [(1, 3), (1, 1)])
        var states = PresentStates(shop.site.layout, wall: shop.start)
        let now = (0..<10).flatMap { _ in shop.site.inventory?.nextStates() ?? [] }
        #expect(states.due(now, at: .now).count == 3)
        let names = states.ordered(.beacons).map { $0["beacon"] }
        #expect(names == [2, 3, 1].map { .string("\(Self.uuid)/1/\($0)") })
        #expect(Site.members.json(of: shop.site)["beacons"] == 3)
    }

    @Test("without a range of visitors, an unknown iBeacon may be a visitor's: it is only counted")
    func implicitVisitors() throws {
        let shop = try RegistrySite(
            "\(Self.uuid),1,1,fixed,shelf\n", visitors: "\"major\": [1, 1], \"minor\": [7, 7]")
        let results = try shop.hear(0..<100, [(1, 7)])
        #expect(results.beaconEvents.isEmpty)
    }

    @Test("a window that is older than an hour comes too late, also as the first one")
    func oldWindow() throws {
        let shop = try RegistrySite("\(Self.uuid),1,1,fixed,shelf\n")
        _ = try shop.hear(-3700..<(-3690), [(1, 1)], .late)
        _ = try shop.hear(-100..<200, [(1, 1)])
        #expect(shop.states.first?["state"] == "learning")
    }

    @Test("a beacon that a person has carried is a person's, whatever the order of its rows")
    func formerPerson() throws {
        let rows = ["visitor,,2026-11-01", "fixed,2026-10-01,"]
            .map { "\(Self.uuid),9,1,\($0)\n" }
        for text in [rows, rows.reversed()] {
            let registry = Registry(
                parsing: Array("uuid,major,minor,kind,until,since\n\(text.joined())".utf8))
            var kinds = BeaconKinds()
            kinds.registered = RegisteredKinds(registry)
            let beacon = try #require(BeaconIdentity("\(Self.uuid)/9/1"))
            #expect(registry.faults.isEmpty && kinds.kind(of: beacon) == .visitor)
        }
    }

    @Test("visits that were found with other kinds of the registry are of another method")
    func method() throws {
        let shop = try RegistrySite("\(Self.uuid),1,1,fixed,shelf\n")
        for (row, isSame) in [("1,fixed,door", true), ("1,staff,", false), ("2,fixed,", false)] {
            let other = try RegistrySite("\(Self.uuid),1,\(row)\n")
            let site = shop.restarted(nil, other.registries)
            #expect((site.method == shop.site.method) == isSame)
        }
    }

    @Test("a stored event has no UUID, and is published with that of the registry")
    func stored() throws {
        let shop = try RegistrySite("\(Self.uuid),1,1,fixed,shelf\n")
        let results = try shop.hear(0..<200, [(5, 5)])
        let row = try #require(results.beaconEvents.first).row
        #expect(!row.beacon.contains(Self.uuid))
        #expect(!String(decoding: row.document, as: UTF8.self).contains(Self.uuid))
        let document = try JSON(parsing: row.document, maxBytes: 1 << 16)
        #expect(
            shop.site.inventory?.published(document)["beacon"] == .string("\(Self.uuid)/5/5"))
        var batch = StoreBatch()
        batch.beaconEvents = [row]
        #expect(shop.store.commit(batch, at: .now) == .durable)
        #expect(
            try shop.store.beaconEvents(at: "s", in: 0..<UnixTime.max, limit: 9) == [row])
    }

    @Test("a missing beacon is missing after a restart as well")
    func restart() throws {
        let shop = try RegistrySite("\(Self.uuid),1,1,fixed,shelf\n")
        _ = try shop.hear(0..<60, [(1, 1)])
        let results = try shop.hear(60..<1100, [])
        #expect(results.beaconEvents.map(\.event.kind) == [.missing])
        #expect(shop.states.first?["state"] == "missing")
        #expect(shop.states.first?["fault"] == "yes")
        var batch = StoreBatch()
        batch.beaconEvents = results.beaconEvents.map(\.row)
        batch.beaconHours = results.beaconHours
        #expect(shop.store.commit(batch, at: .now) == .durable)
        let again = shop.restarted()
        try again.restoreInventory(from: shop.store, wall: shop.start + .seconds(1100))
        let states = (0..<10).flatMap { _ in again.inventory?.nextStates() ?? [] }
        #expect(states.map { $0.document(1)["state"] } == ["missing"])
    }

    @Test("faults of a registry name the file, the line and the column")
    func faults() {
        func lines(_ rows: String, visitors: String, list: String = "visitor") -> [String] {
            do {
                let folder = try TemporaryFolder()
                let path = folder.file("beacons.csv")
                try? "uuid,major,minor,kind\n\(rows)".write(
                    toFile: path, atomically: true, encoding: .utf8)
                let text = """
                    {"mqtt": {"host": "b"}, "sites": [{"site": "s",
                     "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}],
                     "beacons": {"registry": "\(path)",
                      "\(list)": [{"uuid": "\(Self.uuid)", "major": [\(visitors)]}]}}]}
                    """
                let configuration = try ServerConfiguration(parsing: Array(text.utf8))
                _ = try Registries(configuration, of: "server.json")
                return []
            } catch let error as ConfigurationError {
                return error.lines
            } catch { return [] }
        }
        let number = lines("\(Self.uuid),x,1,fixed\n", visitors: "9, 9")
        #expect(number.count == 1)
        #expect(number.first?.contains("beacons.csv: line 2: major must be a number") ?? false)
        let visitor = lines("\(Self.uuid),9,1,fixed\n", visitors: "9, 9")
        #expect(visitor.first?.contains("line 2") ?? false)
        #expect(visitor.first?.contains("beacons.visitor") ?? false)
        let staff = lines("\(Self.uuid),9,1,fixed\n", visitors: "9, 9", list: "staff")
        #expect(staff.first?.contains("beacons.staff") ?? false)
        #expect(lines("\(Self.uuid),9,1,staff\n", visitors: "9, 9", list: "staff").isEmpty)
    }
}

extension RegistrySite {
    /// A site with visitors of the major number 9.
    fileprivate convenience init(_ rows: String, visitors: String = "\"major\": [9, 9]") throws {
        try self.init(
            registry: "uuid,major,minor,kind,name\n\(rows)",
            visitors: ", \"visitor\": [{\"uuid\": \"\(Self.uuid)\", \(visitors)}]")
    }

    /// Takes seconds in which the gateway `shelf` hears these beacons, MAJOR/MINOR.
    ///
    /// - Parameter outcome: what becomes of each message.
    fileprivate func hear(
        _ seconds: Range<Int64>, _ beacons: [(Int, Int)], _ outcome: MessageOutcome = .new
    ) throws -> Site.Results {
        var results = Site.Results()
        for second in seconds {
            let at = start + .seconds(second)
            let message = try SightingsMessage(
                from: "shelf", at: at, second: second, beacons.map { ("\($0)/\($1)", -80) })
            var readings: PackedReadings?
            #expect(
                site.takeForInventory(message, from: "shelf", sharing: &readings) == outcome)
            site.inventory?.advance(
                through: UnixSecond(containing: max(start, at) + .seconds(2)), to: &results)
        }
        return results
    }

    /// The published states.
    fileprivate var states: [JSON] {
        (0..<10).flatMap { _ in site.inventory?.nextStates() ?? [] }.map { $0.document(1) }
    }
}
