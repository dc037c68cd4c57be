import Beacons
import Glibc

/// What becomes of a signal between a beacon and a gateway.
struct Propagation: Sendable {
    private let random: SeededRandom
    private let radio: Scenario.Radio

    /// The RSSI that a report can bear; a receiver hears nothing below it.
    private static let range = -110.0...20.0
    /// On both sides of the sensitivity, in dB, where some packets come through and some do not.
    private static let edge = 3.0

    init(_ random: SeededRandom, _ radio: Scenario.Radio) {
        self.random = random
        self.radio = radio
    }

    /// The mean RSSI over shadowing and fading, in dBm (log-distance path loss).
    ///
    /// - Parameters:
    ///   - power: dBm at one metre.
    ///   - distance: metres, at least 0.3.
    func mean(power: Double, distance: Double) -> Double {
        power - 10 * radio.pathLossExponent * log10(max(0.3, distance))
    }

    /// One packet's RSSI; `nil` when it is lost.
    ///
    /// - Parameters:
    ///   - link: identifies the pair of beacon and gateway.
    ///   - time: microseconds on the world's timeline.
    ///   - packet: its number.
    func rssi(mean: Double, link: UInt64, time: Int64, packet: Int64) -> RSSI? {
        let level =
            mean + radio.shadowingDb * shadow(link, time)
            + radio.fadingDb * random.normal(.fading, link, packet)
        if let sensitivity = radio.sensitivityDbm {
            let share = (level - (sensitivity - Self.edge)) / (2 * Self.edge)
            if random.unit(.weakSignal, link, packet) >= share { return nil }
        }
        if radio.lossPercent > 0,
            random.unit(.loss, link, packet) * 100 < radio.lossPercent
        {
            return nil
        }
        return RSSI(
            dBm: Int8(min(max(level, Self.range.lowerBound), Self.range.upperBound).rounded()))
    }

    /// People in the way: slow noise of standard deviation 1, correlated over `shadowingSeconds`.
    private func shadow(_ link: UInt64, _ time: Int64) -> Double {
        guard radio.shadowingDb > 0 else { return 0 }
        let width = Int64(radio.shadowingSeconds * 1_000_000)
        let node = time.flooredDivision(by: width)
        let share = Double(time - node * width) / Double(width)
        let before = random.normal(.shadowing, link, node)
        let after = random.normal(.shadowing, link, node + 1)
        // A plain blend of two independent values would be tamer half-way than at its ends.
        let blend = (1 - share) * before + share * after
        return blend / ((1 - share) * (1 - share) + share * share).squareRoot()
    }
}
