import Beacons

/// The gateway's own iBeacon: a report of `identity` from `address` is not a visitor.
package struct OwnBeacon: Equatable, Sendable {
    /// The controller's address; `nil` if it is unknown. A neighbour may have the same address.
    package var address: DeviceAddress?
    /// The advertised identity, `nil` without advertising. A sighting of it from another address is an echo.
    package var identity: BeaconIdentity?

    package init(address: DeviceAddress? = nil, identity: BeaconIdentity? = nil) {
        self.address = address
        self.identity = identity
    }
}
