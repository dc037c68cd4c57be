import Beacons

/// The kinds of beacons by a registry.
package struct RegisteredKinds: Equatable, Sendable {
    private struct Group: Equatable {
        let minors: ClosedRange<UInt16>
        let kind: TagKind
    }

    private struct Single: Equatable {
        let beacon: BeaconIdentity
        let kind: TagKind
    }

    /// By the identity in each format.
    private var singles: [BeaconIdentity: Single] = [:]
    /// Of visitors and the staff, by the beacon of the UUID and major number with the minor number 0.
    private var groups: [BeaconIdentity: [Group]] = [:]
    /// The names of the beacons whose state is published, `UUID/MAJOR/MINOR`, in the order of the registry.
    package private(set) var items: [String] = []
    /// The organisations of single beacons, by format.
    package private(set) var organisations: [BeaconIdentity.Format: Set<ProximityUUID>] = [:]
    private(set) var hasVisitors = false

    package init() {}

    /// - Parameter item: its name, if its state is published.
    package mutating func add(_ identity: BeaconIdentity, _ kind: TagKind, item: String?) {
        if let item, singles[identity] == nil { items.append(item) }
        // A device may send other formats of the same identity.
        for format in BeaconIdentity.Format.allCases {
            let other = identity.translated(to: format)
            // Rows of several times: a beacon that a person has carried is never shown as a thing.
            if let former = singles[other], former.kind.isPerson, !kind.isPerson { continue }
            singles[other] = Single(beacon: identity, kind: kind)
            organisations[format, default: []].insert(other.organisation)
        }
        hasVisitors = hasVisitors || kind == .visitor
    }

    package mutating func add(
        _ uuid: ProximityUUID, _ major: UInt16, _ minors: ClosedRange<UInt16>, _ kind: TagKind
    ) {
        let key = BeaconIdentity(uuid: uuid, major: major, minor: 0)
        groups[key, default: []].append(Group(minors: minors, kind: kind))
        hasVisitors = hasVisitors || kind == .visitor
    }

    func kind(of identity: BeaconIdentity) -> TagKind? {
        if let single = singles[identity] { return single.kind }
        guard identity.isIBeacon, !groups.isEmpty else { return nil }
        let key = BeaconIdentity(uuid: identity.uuid, major: identity.major, minor: 0)
        return groups[key]?.filter { $0.minors.contains(identity.minor) }
            .min { $0.minors.count < $1.minors.count }?.kind
    }

    /// The identity of the row whose beacon sends this one in another format; of all others, the same.
    package func identity(of heard: BeaconIdentity) -> BeaconIdentity {
        singles[heard]?.beacon ?? heard
    }
}

extension TagKind {
    fileprivate var isPerson: Bool { self == .visitor || self == .staff }
}
