import Beacons

/// What the gateway itself has on the air: the one advertiser that it must not take for a visitor.
package struct OwnBeacon: Equatable, Sendable {
    /// Whose iBeacons are the gateway's own, whatever they say; `nil` where the controller's address isn't known.
    ///
    /// After a retune the controller may still bring a report of the identity before.
    package var address: DeviceAddress?
    /// Who the gateway says it is: a sighting of that identity is an echo. `nil` while it advertises nothing.
    package var identity: BeaconIdentity?

    package init(address: DeviceAddress? = nil, identity: BeaconIdentity? = nil) {
        self.address = address
        self.identity = identity
    }
}
