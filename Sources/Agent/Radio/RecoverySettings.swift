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

    /// Starts to switch an adapter on that is down; `nil` if that is forbidden, or the source has none.
    package var powerOn: () -> (any PowerCycle)?
    /// Reports adapters that appear; `nil` if the source is none.
    package var arrivals: (any AdapterArrivals)?
    /// The agent ends after a fault of this length that no step has recovered; `nil` for never.
    package var exitAfter: Duration?

    package init(
        references: [BeaconIdentity] = [], isShared: Bool = false, seed: UInt64 = 0,
        powerCycle: @escaping () -> (any PowerCycle)? = { nil },
        powerOn: @escaping () -> (any PowerCycle)? = { nil },
        arrivals: (any AdapterArrivals)? = nil, exitAfter: Duration? = nil
    ) {
        self.references = references
        self.isShared = isShared
        self.seed = seed
        self.powerCycle = powerCycle
        self.powerOn = powerOn
        self.arrivals = arrivals
        self.exitAfter = exitAfter
    }
}
