import Beacons

/// The beacons that the gateway reports. An empty set selects all.
package struct BeaconFilter: Equatable, Sendable {
    /// The UUIDs: the organisations.
    package let uuids: Set<ProximityUUID>
    /// The major numbers: the stores.
    package let majors: Set<UInt16>
    private let selectsAll: Bool

    package init(uuids: some Sequence<ProximityUUID> = [], majors: some Sequence<UInt16> = []) {
        self.uuids = Set(uuids)
        self.majors = Set(majors)
        selectsAll = self.uuids.isEmpty && self.majors.isEmpty
    }

    /// Whether the filter selects an identity. Only iBeacons have a UUID and a major number.
    @inline(__always)
    package func admits(_ identity: BeaconIdentity) -> Bool { selectsAll || selects(identity) }

    private func selects(_ identity: BeaconIdentity) -> Bool {
        identity.isIBeacon && (uuids.isEmpty || uuids.contains(identity.uuid))
            && (majors.isEmpty || majors.contains(identity.major))
    }
}
