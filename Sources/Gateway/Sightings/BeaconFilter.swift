import Beacons

/// The beacons that the gateway reports, format by format.
package struct BeaconFilter: Equatable, Sendable {
    /// Beacons of one format. An empty set selects all.
    package struct Selection: Equatable, Sendable {
        /// As `BeaconIdentity.organisation` has them.
        package let organisations: Set<ProximityUUID>
        /// The major numbers: the stores.
        package let majors: Set<UInt16>

        package static let all = Selection()

        package init(
            organisations: some Sequence<ProximityUUID> = [], majors: some Sequence<UInt16> = []
        ) {
            self.organisations = Set(organisations)
            self.majors = Set(majors)
        }

        func contains(_ identity: BeaconIdentity) -> Bool {
            (organisations.isEmpty || organisations.contains(identity.organisation))
                && (majors.isEmpty || majors.contains(identity.major))
        }
    }

    /// `nil` selects no beacon of the format.
    package let iBeacons: Selection?
    package let eddystoneUIDs: Selection?
    package let altBeacons: Selection?
    private let selectsAll: Bool

    package init(
        iBeacons: Selection? = .all, eddystoneUIDs: Selection? = .all,
        altBeacons: Selection? = .all
    ) {
        self.iBeacons = iBeacons
        self.eddystoneUIDs = eddystoneUIDs
        self.altBeacons = altBeacons
        selectsAll = [iBeacons, eddystoneUIDs, altBeacons].allSatisfy { $0 == .all }
    }

    /// The keys of the section `filter`, which are of iBeacons: with one of them, no other format is reported.
    package init(uuids: some Sequence<ProximityUUID> = [], majors: some Sequence<UInt16> = []) {
        let iBeacons = Selection(organisations: uuids, majors: majors)
        let others: Selection? = iBeacons == .all ? .all : nil
        self.init(iBeacons: iBeacons, eddystoneUIDs: others, altBeacons: others)
    }

    @inline(__always)
    package func admits(_ identity: BeaconIdentity) -> Bool { selectsAll || selects(identity) }

    private func selects(_ identity: BeaconIdentity) -> Bool {
        let selection =
            switch identity.format {
            case .iBeacon: iBeacons
            case .eddystoneUID: eddystoneUIDs
            case .altBeacon: altBeacons
            }
        return selection?.contains(identity) ?? false
    }
}
