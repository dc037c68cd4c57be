import Beacons

/// One element of a message's `sightings`.
package struct SightingMessage: Equatable, Sendable {
    package let identity: BeaconIdentity
    /// In dBm.
    package let measuredPower: Int8
    /// Advertising reports.
    package let count: Int
    /// `nil` when no report had an RSSI.
    package let signal: Signal?
    /// Milliseconds after the window's start, like `lastSeen` and `Signal.maxAt`.
    package let firstSeen: Int64
    package let lastSeen: Int64
    package let senders: Int
    /// Whether the identity is the gateway's own, transmitted by another sender.
    package let isEcho: Bool

    package init(
        identity: BeaconIdentity, measuredPower: Int8, count: Int, signal: Signal?,
        firstSeen: Int64,
        lastSeen: Int64, senders: Int, isEcho: Bool = false
    ) {
        self.identity = identity
        self.measuredPower = measuredPower
        self.count = count
        self.signal = signal
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.senders = senders
        self.isEcho = isEcho
    }

    /// The members `rssi`, `power` and `maxAt`, which come together.
    package struct Signal: Equatable, Sendable {
        /// RSSI values in dBm, and their spread in dB.
        package let min: Int8
        package let max: Int8
        package let mean: Double
        package let standardDeviation: Double
        package let last: Int8
        /// The mean power, in dBm.
        package let powerMean: Double
        package let centroid: Int64
        package let maxAt: Int64

        package init(
            min: Int8, max: Int8, mean: Double, standardDeviation: Double, last: Int8,
            powerMean: Double, centroid: Int64, maxAt: Int64
        ) {
            self.min = min
            self.max = max
            self.mean = mean
            self.standardDeviation = standardDeviation
            self.last = last
            self.powerMean = powerMean
            self.centroid = centroid
            self.maxAt = maxAt
        }
    }
}
