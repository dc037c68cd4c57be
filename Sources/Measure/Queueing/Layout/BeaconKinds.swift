import Beacons
import Contract

/// Which beacons are whose. Without a range of visitors, every iBeacon that has no other kind is a visitor's: a device that
/// sends several formats is one visitor.
package struct BeaconKinds: ConfigurationSection {
    package var visitor: [BeaconRange] = []
    package var staff: [BeaconRange] = []
    package var fixed: [BeaconRange] = []
    package var gateway: [BeaconRange] = []
    /// The path of the site's registry of beacons, as the file has it.
    package var registry: String?
    /// What the registry says; no key of the file.
    package var registered = RegisteredKinds()

    package init() {}

    private static let mostRanges = 64

    package static let help = "The beacons of visitors, and those that are no visitors."
    package static let keys: [ConfigurationKey<BeaconKinds>] = [
        .value(
            "visitor", \.visitor, .sections(atMost: mostRanges),
            help: "Beacons of visitors, also where several people use one in turn. Without it, all "
                + "iBeacons that have no other kind; more than eight visits, or a presence of more "
                + "than four hours, make one staff's. Of a device that sends several formats, name "
                + "one."),
        .value("staff", \.staff, .sections(atMost: mostRanges), help: "Beacons of the staff."),
        .value(
            "fixed", \.fixed, .sections(atMost: mostRanges),
            help: "Beacons that stay in their place."),
        .value(
            "gateway", \.gateway, .sections(atMost: mostRanges),
            help: "The gateways' own advertisements."),
        .optional(
            "registry", \.registry, .path, example: "/etc/sightline-server/beacons.csv",
            help:
                "The registry of the site's beacons, beacons.csv, which SIGHUP reads again. Its kinds add to those of the other keys, "
                + "and the server watches its beacons."),
    ]

    package func kind(of identity: BeaconIdentity) -> TagKind {
        let named: [(TagKind, [BeaconRange])] = [
            (.gateway, gateway), (.fixed, fixed), (.staff, staff), (.visitor, visitor),
        ]
        for (kind, ranges) in named where ranges.contains(where: { $0.contains(identity) }) {
            return kind
        }
        if let kind = registered.kind(of: identity) { return kind }
        return visitor.isEmpty && !registered.hasVisitors && identity.isIBeacon ? .visitor : .other
    }
}

extension KeyType {
    /// An array of objects that are declared by their keys.
    static func sections<Element: ConfigurationSection>(atMost limit: Int) -> KeyType
    where Value == [Element] {
        .objects(
            atMost: limit, schema: Element.keys.schema().merging(Element.rules),
            json: { $0.json },
            read: { Element(from: &$0) })
    }
}
