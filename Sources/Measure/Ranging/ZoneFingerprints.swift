import Glibc

/// Zones without a plan: the levels that were heard of a beacon while it stood in each zone.
package struct ZoneFingerprints: Sendable {
    private struct Level: Sendable {
        let mean: Double
        let deviation: Double
    }

    /// By zone, then by gateway; `nil` where the beacon was hardly heard.
    private let zones: [[Level?]]

    /// Of a level, in dB.
    private static let leastDeviation = 1.5

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

    /// The probability of each zone after some seconds of a beacon; they sum to 1.
    ///
    /// - Parameter seconds: the levels of each, in dBm, by gateway.
    package func probabilities(_ seconds: [[Double?]]) -> [Double] {
        guard !zones.isEmpty else { return [] }
        let weight = 1 / Double(max(seconds.count, 1)).squareRoot()
        let logs = zones.map { levels in
            var sum = 0.0
            for second in seconds {
                for (expected, level) in zip(levels, second) {
                    guard let level else { continue }
                    // A gateway that was never heard from the zone: an unlikely level.
                    let (mean, deviation) = expected.map { ($0.mean, $0.deviation) } ?? (-105, 6)
                    let z = (level - mean) / deviation
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
