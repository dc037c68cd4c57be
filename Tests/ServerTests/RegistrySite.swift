import Configuration
import Contract
import Foundation
import Posix
import Primitives
import Queueing
import ServerConfiguration
import StoreSQLite
import TestSupport

@testable import Server

/// A site `s` of a server with a registry of beacons, a plan if there is one, and a store.
final class RegistrySite {
    static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

    let folder: TemporaryFolder
    let configuration: ServerConfiguration
    let registries: Registries
    let store: SQLiteStore
    let site: Site
    let state: ServerState
    let start = UnixTime(milliseconds: QueueServer.noon)
    /// The second of the next message, for tests that pass seconds one after another.
    var second: Int64 = 0

    /// - Parameter visitors: further members of the configuration's `beacons`.
    init(registry: String, plan: String? = nil, visitors: String = "") throws {
        folder = try TemporaryFolder()
        let (beacons, zones) = (folder.file("beacons.csv"), folder.file("zones.geojson"))
        try registry.write(toFile: beacons, atomically: true, encoding: .utf8)
        try plan?.write(toFile: zones, atomically: true, encoding: .utf8)
        let text = """
            {"mqtt": {"host": "b"}, "sites": [{"site": "s", "learningSeconds": 0,
             "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}],
             \(plan == nil ? "" : "\"plan\": \"\(zones)\",")
             "beacons": {"registry": "\(beacons)"\(visitors)}}]}
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

    /// The site of a server that starts again, if given with another configuration or registry.
    func restarted(
        _ configuration: ServerConfiguration? = nil, _ registries: Registries? = nil
    ) -> Site {
        Self.site(
            configuration ?? self.configuration, registries ?? self.registries, store, folder,
            start)
    }

    private static func site(
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
}

extension SightingsMessage {
    /// The window of a second in which a gateway of the site `s` hears beacons, MAJOR/MINOR, at levels in dBm.
    init(
        from gateway: String, at start: UnixTime, second: Int64,
        _ sightings: [(beacon: String, level: Double)], isDeaf: Bool = false, senders: Int = 1
    ) throws {
        let list = sightings.map { beacon, level -> String in
            let numbers = beacon.split(separator: "/")
            let power = Int(level)
            return """
                {"type": "ibeacon", "uuid": "\(RegistrySite.uuid)", "major": \(numbers[0]), "minor": \(numbers[1]),
                 "measuredPower": -59, "count": 2, "firstSeen": 0, "lastSeen": 500, "maxAt": 0, "senders": \(senders),
                 "power": {"mean": \(level), "centroid": 250},
                 "rssi": {"min": \(power), "max": \(power), "mean": \(power), "stddev": 0, "last": \(power)}}
                """
        }
        let text = """
            {"v": 1, "site": "s", "gateway": "\(gateway)", "session": "a",
             "seq": \(second + 10_000), "clock": "synced",
             "window": {"start": \(start.milliseconds), "end": \(start.milliseconds + 1000)},
             "radio": {"state": "\(isDeaf ? "deaf" : "hearing")", "reports": 2, "beacons": 2, "filtered": 0, "malformed": 0,
             "implausible": 0, "dropped": 0}, "sightings": [\(list.joined(separator: ","))]}
            """
        try self.init(decoding: Array(text.utf8))
    }
}
