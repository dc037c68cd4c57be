import Beacons
import Primitives

extension Windows {
    package struct Settings: Equatable, Sendable {
        /// A window's width; at least a microsecond.
        package var width: Duration
        /// Identities followed in one window; the reports of further ones are counted as `untracked`.
        package var maxIdentities: Int
        /// Sightings of one window; the reports of further ones are counted as `untracked`. 0 for all.
        package var maxSightings: Int
        package var filter: BeaconFilter
        /// The gateway's own beacon; `nil` while the gateway does not advertise.
        package var own: OwnBeacon?

        package init(
            width: Duration = .seconds(1), maxIdentities: Int = 100_000, maxSightings: Int = 0,
            filter: BeaconFilter = BeaconFilter(), own: OwnBeacon? = nil
        ) {
            self.width = max(width, .microseconds(1))
            self.maxIdentities = maxIdentities
            self.maxSightings = maxSightings
            self.filter = filter
            self.own = own
        }
    }
}

/// The gateway's own beacon: a report of `identity` from `address` is not a visitor.
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
