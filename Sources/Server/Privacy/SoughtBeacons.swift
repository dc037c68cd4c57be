import Beacons
import Posix
import Primitives
import Queueing
import ResultStore
import ServerConfiguration

/// The identities that `privacy` looks for, in all forms, and their pseudonyms under the keys that exist.
struct SoughtBeacons {
    /// UUIDs and namespaces that the configuration and its registries name, and identities that the operator asks for.
    private let uuids: [ProximityUUID]
    private let namespaces: [ProximityUUID]
    private let beacons: [BeaconIdentity]
    /// Those of the rows that have another format: a pseudonym is that of the row.
    private let rows: Set<BeaconIdentity>

    init(
        _ beacons: [BeaconIdentity], of configuration: ServerConfiguration,
        _ registries: Registries = Registries()
    ) {
        var complete = configuration
        registries.complete(&complete)
        let kinds = complete.sites.map(\.beacons.registered)
        let others = beacons.flatMap { beacon in kinds.map { $0.identity(of: beacon) } }
        rows = Set(others).subtracting(beacons)
        self.beacons = beacons
        let named = configuration.sites.flatMap { site in
            site.beacons.visitor + site.beacons.staff + site.beacons.fixed + site.beacons.gateway
        }
        uuids = Set(named.compactMap(\.uuid) + registries.uuids).sorted {
            $0.description < $1.description
        }
        namespaces = Set(named.compactMap(\.namespace)).sorted { $0.description < $1.description }
    }

    var count: Int { uuids.count + namespaces.count + beacons.count }

    /// Whose identities they are: `1 UUID of the configuration and 2 beacons of --beacon`.
    var description: String {
        [
            uuids.isEmpty ? nil : "\(Primitives.count(uuids.count, "UUID")) of the configuration",
            namespaces.isEmpty
                ? nil
                : "\(Primitives.count(namespaces.count, "namespace")) of the configuration",
            beacons.isEmpty ? nil : "\(Primitives.count(beacons.count, "beacon")) of --beacon",
        ].compactMap(\.self).joined(separator: " and ")
    }

    /// Nothing of the state directory may contain these.
    var identities: [PrivacyScan.Needle] {
        uuids.flatMap { PrivacyScan.Needle.forms(uuid: $0.bytes) }
            + namespaces.flatMap { Self.forms(namespaceOf: $0.bytes) }
            + beacons.flatMap(Self.forms)
    }

    private static func forms(of beacon: BeaconIdentity) -> [PrivacyScan.Needle] {
        switch beacon.format {
        case .iBeacon, .altBeacon:
            PrivacyScan.Needle.forms(
                uuid: beacon.uuid.bytes, major: beacon.major, minor: beacon.minor)
        case .eddystoneUID: forms(namespaceOf: beacon.bytes)
        }
    }

    /// A stored identity has its instance behind the namespace.
    private static func forms(namespaceOf bytes: [UInt8]) -> [PrivacyScan.Needle] {
        PrivacyScan.Needle.forms(of: Array(bytes.prefix(10)), name: "namespace")
    }

    /// Facts and visits of a day have these until its evidence ends.
    func pseudonyms(_ keys: [DayKey]) -> [PrivacyScan.Needle] {
        keys.flatMap { key in
            var pseudonyms = Pseudonyms(key: key.bytes)
            return (beacons + rows).flatMap {
                PrivacyScan.Needle.forms(
                    tag: pseudonyms.tag($0), name: "pseudonym of \(key.name.site), \(key.name.day)")
            }
        }
    }
}
