import Beacons
import Radio

/// What is to be known of a radio for it to be looked after.
package struct RecoverySettings {
    /// Beacons that must always be heard.
    package var references: [BeaconIdentity]
    /// Whether the adapter is shared with the kernel.
    package var isShared: Bool
    /// What the policy's rests are drawn from.
    package var seed: UInt64
    /// Begins to bring the adapter down and up; `nil` where there is no such thing.
    package var powerCycle: () -> (any PowerCycle)?

    package init(
        references: [BeaconIdentity] = [], isShared: Bool = false, seed: UInt64 = 0,
        powerCycle: @escaping () -> (any PowerCycle)? = { nil }
    ) {
        self.references = references
        self.isShared = isShared
        self.seed = seed
        self.powerCycle = powerCycle
    }
}
