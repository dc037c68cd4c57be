import Beacons

/// The beacons that the gateway reports: the formats, and in each format the organisations and stores.
///
/// Without any list, it selects all beacons of its formats. With one, it selects those that a list of their format names.
package struct BeaconFilter: Equatable, Sendable {
    package let formats: BeaconFormats
    /// Of iBeacons and AltBeacons, as `BeaconIdentity.organisation` has them; empty for all.
    package let uuids: Set<ProximityUUID>
    /// The major numbers of the same, which name the stores; empty for all.
    package let majors: Set<UInt16>
    /// Of Eddystone beacons, as `BeaconIdentity.organisation` has them; empty for all.
    package let namespaces: Set<ProximityUUID>
    private let hasLists: Bool

    package init(
        formats: BeaconFormats = .iBeacon, uuids: some Sequence<ProximityUUID> = [],
        majors: some Sequence<UInt16> = [], namespaces: some Sequence<ProximityUUID> = []
    ) {
        self.formats = formats
        self.uuids = Set(uuids)
        self.majors = Set(majors)
        self.namespaces = Set(namespaces)
        hasLists = !(self.uuids.isEmpty && self.majors.isEmpty && self.namespaces.isEmpty)
    }

    @inline(__always)
    package func admits(_ identity: BeaconIdentity) -> Bool {
        formats.contains(formatOf: identity) && (!hasLists || selects(identity))
    }

    private func selects(_ identity: BeaconIdentity) -> Bool {
        switch identity.format {
        case .iBeacon, .altBeacon:
            !(uuids.isEmpty && majors.isEmpty)
                && (uuids.isEmpty || uuids.contains(identity.organisation))
                && (majors.isEmpty || majors.contains(identity.major))
        case .eddystoneUID: namespaces.contains(identity.organisation)
        }
    }
}
