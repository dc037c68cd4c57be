import Beacons
import Configuration
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

    /// Starts to switch an adapter on that is down, if the configuration allows that; `nil` if the source has none.
    package var powerOn: () -> (any PowerCycle)?
    /// Reports adapters that appear; `nil` if the source is none.
    package var arrivals: (any AdapterArrivals)?
    private let radio: RadioSettings

    /// Whether the agent may switch an adapter on that is down.
    var powersOn: Bool { radio.powersOn }
    /// The agent ends after a fault of this length that no step has recovered; `nil` for never.
    var exitAfter: Duration? {
        radio.exitAfterMinutes > 0 ? .seconds(radio.exitAfterMinutes * 60) : nil
    }

    package init(
        _ radio: RadioSettings = RadioSettings(), references: [BeaconIdentity] = [],
        isShared: Bool = false, seed: UInt64 = 0,
        powerCycle: @escaping () -> (any PowerCycle)? = { nil },
        powerOn: @escaping () -> (any PowerCycle)? = { nil },
        arrivals: (any AdapterArrivals)? = nil
    ) {
        self.references = references
        self.isShared = isShared
        self.seed = seed
        self.powerCycle = powerCycle
        self.powerOn = powerOn
        self.arrivals = arrivals
        self.radio = radio
    }
}
