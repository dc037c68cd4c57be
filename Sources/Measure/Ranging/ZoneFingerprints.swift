import Glibc

/// Zones without a plan: the levels that were heard of a beacon while it stood in each zone.
package struct ZoneFingerprints: Sendable {
    private struct Level: Sendable {
        let mean: Double
        let deviation: Double
    }

    /// By zone, then by gateway; `nil` where the beacon was hardly heard. A zone without gateways has no labels.
    private let zones: [[Level?]]

    /// Of a level, in dB.
    private static let leastDeviation = 1.5
    /// Of a level that was not heard in a zone, in dBm.
    private static let unheard = (mean: -105.0, deviation: 6.0)
    /// With labels of fewer zones, a beacon would always be in the only one.
    private static let leastZones = 2

    /// - Parameter standing: of each zone, the levels of its seconds in dBm, by gateway.
    package init(_ standing: [[[Double?]]]) {
        zones = standing.map { seconds in
            (0..<(seconds.first?.count ?? 0)).map { gateway in
                let levels = seconds.compactMap { $0[gateway] }
                guard levels.count >= 2 else { return nil }
                let mean = levels.reduce(0, +) / Double(levels.count)
                let square = levels.map { ($0 - mean) * ($0 - mean) }.reduce(0, +)
                let deviation = (square / Double(levels.count - 1)).squareRoot()
                return Level(
                    mean: mean, deviation: max(deviation, Self.leastDeviation))
            }
        }
    }

    /// What the beacons of labels were heard with, relative to the power that each claims.
    ///
    /// - Returns: `nil` if fewer than two zones have labels.
    init?(_ labels: [PlaceLabel], zones count: Int, gateways: Int) {
        zones = (0..<count).map { zone in
            let labels = labels.filter { $0.zone == zone }
            return labels.isEmpty ? [] : (0..<gateways).map { Self.level(of: $0, labels) }
        }
        guard zones.count(where: { !$0.isEmpty }) >= Self.leastZones else { return nil }
    }

    /// The mean and the deviation of all seconds of the labels.
    private static func level(of gateway: Int, _ labels: [PlaceLabel]) -> Level? {
        var (count, sum, squares) = (0.0, 0.0, 0.0)
        for label in labels where gateway < label.levels.count {
            guard let level = label.levels[gateway] else { continue }
            let spread = gateway < label.spreads.count ? label.spreads[gateway] : nil
            let (mean, number) = (level - label.claimed, Double(spread?.count ?? 1))
            let deviation = spread?.deviation ?? LevelSpread.usual
            count += number
            sum += number * mean
            squares += number * (mean * mean + deviation * deviation)
        }
        guard count > 0 else { return nil }
        let mean = sum / count
        let variance = max(0, squares / count - mean * mean)
        return Level(mean: mean, deviation: max(variance.squareRoot(), leastDeviation))
    }

    /// The gateway that hears a zone best; `nil` of a zone without labels.
    func nearest(to zone: Int) -> Int? {
        guard zone < zones.count else { return nil }
        return zones[zone].indices.max {
            (zones[zone][$0]?.mean ?? -.infinity) < (zones[zone][$1]?.mean ?? -.infinity)
        }
    }

    /// The probability of each zone after some seconds of a beacon; they sum to 1. A zone without labels has none.
    ///
    /// - Parameters:
    ///   - seconds: the levels of each, in dBm, by gateway.
    ///   - power: that of the beacon, to which the levels of the zones are relative.
    package func probabilities(
        _ seconds: [[Double?]], power: TagPower = TagPower(0, deviation: 0)
    ) -> [Double] {
        guard zones.contains(where: { !$0.isEmpty }) else { return zones.map { _ in 0 } }
        let weight = 1 / Double(max(seconds.count, 1)).squareRoot()
        let logs = zones.map { levels in
            guard !levels.isEmpty else { return -Double.infinity }
            var sum = 0.0
            for second in seconds {
                for (expected, level) in zip(levels, second) {
                    guard let level else { continue }
                    // A gateway that was never heard from the zone: an unlikely level.
                    let (mean, spread) =
                        expected.map { ($0.mean, $0.deviation) }
                        ?? (Self.unheard.mean - power.level, Self.unheard.deviation)
                    let deviation =
                        (spread * spread + power.deviation * power.deviation).squareRoot()
                    let z = (level - power.level - mean) / deviation
                    sum -=
                        log(deviation)
                        + (LevelField.freedom + 1) / 2 * log(1 + z * z / LevelField.freedom)
                }
            }
            return sum * weight
        }
        let most = logs.max() ?? 0
        let shares = logs.map { exp($0 - most) }
        let sum = shares.reduce(0, +)
        return shares.map { $0 / sum }
    }
}
