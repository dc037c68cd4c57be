import Beacons
import Posix
import Primitives
import Queueing
import ResultStore
import ServerConfiguration

/// The identities that `privacy` looks for, in all forms, and their pseudonyms under the keys that exist.
struct SoughtBeacons {
    /// UUIDs that the configuration names, and identities that the operator asks for.
    private let uuids: [ProximityUUID]
    private let beacons: [BeaconIdentity]

    init(_ beacons: [BeaconIdentity], of configuration: ServerConfiguration) {
        self.beacons = beacons
        let named = configuration.sites.flatMap { site in
            site.beacons.visitor + site.beacons.staff + site.beacons.fixed + site.beacons.gateway
        }
        uuids = Set(named.compactMap(\.organisation)).sorted { $0.description < $1.description }
    }

    var count: Int { uuids.count + beacons.count }

    /// Whose identities they are: `1 UUID of the configuration and 2 beacons of --beacon`.
    var description: String {
        [
            uuids.isEmpty ? nil : "\(Primitives.count(uuids.count, "UUID")) of the configuration",
            beacons.isEmpty ? nil : "\(Primitives.count(beacons.count, "beacon")) of --beacon",
        ].compactMap(\.self).joined(separator: " and ")
    }

    /// Nothing of the state directory may contain these.
    var identities: [PrivacyScan.Needle] {
        uuids.flatMap { PrivacyScan.Needle.forms(uuid: $0.bytes) }
            + beacons.flatMap {
                PrivacyScan.Needle.forms(
                    uuid: $0.uuid.bytes, major: $0.major, minor: $0.minor)
            }
    }

    /// Facts and visits of a day have these until its evidence ends.
    func pseudonyms(_ keys: [DayKey]) -> [PrivacyScan.Needle] {
        keys.flatMap { key in
            var pseudonyms = Pseudonyms(key: key.bytes)
            return beacons.flatMap {
                PrivacyScan.Needle.forms(
                    tag: pseudonyms.tag($0), name: "pseudonym of \(key.name.site), \(key.name.day)")
            }
        }
    }

    /// `UUID/MAJOR/MINOR`, as messages and `sightline watch` write it.
    static func identity(_ text: String) -> BeaconIdentity? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let uuid = ProximityUUID(parts[0]), let major = UInt16(parts[1]),
            let minor = UInt16(parts[2])
        else { return nil }
        return BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }
}
