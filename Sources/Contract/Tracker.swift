import Beacons

/// A beacon that Home Assistant tracks, with its display name.
package struct Tracker: Equatable, Sendable {
    package let name: String
    package let identity: BeaconIdentity

    package init(name: String, identity: BeaconIdentity) {
        self.name = name
        self.identity = identity
    }

    /// Its stable identifier, which a new name does not change.
    package var key: String { "tracker-\(identity.uuid)-\(identity.major)-\(identity.minor)" }
}
