import Beacons
import Radio

/// How to detect and recover a faulty radio.
package struct RecoverySettings {
    /// Beacons that must always be heard.
    package var references: [BeaconIdentity]
    /// Whether the kernel shares the adapter.
    package var isShared: Bool
    /// The seed of the random part of the rests.
    package var seed: UInt64
    /// Starts a power cycle of the adapter; `nil` if the source has none.
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
