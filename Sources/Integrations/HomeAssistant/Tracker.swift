import Beacons

/// A beacon whose presence is followed, and what people call it.
package struct Tracker: Equatable, Sendable {
    package let name: String
    package let identity: BeaconIdentity

    package init(name: String, identity: BeaconIdentity) {
        self.name = name
        self.identity = identity
    }

    /// A word for it that stays when it is renamed.
    var key: String { "tracker-\(identity.uuid)-\(identity.major)-\(identity.minor)" }
}
