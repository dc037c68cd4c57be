import Facts

/// The past errors of a queue's forecasts. The interval of the next one comes from the quantiles of the last 200 (split
/// conformal prediction: Vovk, Gammerman, Shafer 2005).
///
/// An error is relative: `(wait − forecast) / (forecast + 30 s)`.
package struct ForecastRecord: Sendable {
    /// The record beside a forecast.
    package struct Summary: Equatable, Sendable {
        /// Forecasts that could be compared with a visit; the last 200 make up the other values.
        package let scored: Int
        /// Fewer comparisons than a record needs: the interval is a guess.
        package let isLearning: Bool
        /// Seconds.
        package let meanError: Double?
        package let meanWait: Double?
        /// The share of visits whose wait was in the interval.
        package let hitShare: Double?
    }

    /// A forecast with the wait that then came, in seconds.
    private struct Comparison {
        let forecast: Double
        let wait: Double
        /// Whether the wait was in the interval.
        let isHit: Bool

        var error: Double { wait - forecast }
    }

    private var scored = 0
    /// Those of the last forecasts.
    private var comparisons: [Comparison] = []

    /// Forecasts that the record keeps.
    private static let longest = 200
    /// Comparisons that a record needs.
    private static let enough = 20
    /// The probability below the interval, and above it.
    private static let tail = 0.05
    /// Seconds: it keeps the relative error of a short wait small. Chosen.
    private static let offset = 30.0
    /// Before there is a record, the interval is as wide as for a good forecaster.
    private static let usual = (low: -0.5, high: 0.8)

    private var isLearning: Bool { scored < Self.enough }

    var summary: Summary {
        Summary(
            scored: scored, isLearning: isLearning, meanError: mean(\.error.magnitude),
            meanWait: mean(\.wait), hitShare: mean { $0.isHit ? 1 : 0 })
    }

    func interval(around wait: Double) -> (low: Double, high: Double) {
        var (low, high) = Self.usual
        if !isLearning {
            let sorted = comparisons.map { $0.error / Self.scale($0.forecast) }.sorted()
            low = Self.quantile(Self.tail, sorted)
            high = Self.quantile(1 - Self.tail, sorted)
        }
        let scale = Self.scale(wait)
        return (max(0, wait + min(0, low) * scale), wait + max(0, high) * scale)
    }

    mutating func score(_ forecast: Forecast, actual wait: Duration) {
        scored += 1
        comparisons.append(
            Comparison(
                forecast: forecast.wait, wait: wait.inSeconds, isHit: forecast.holds(wait)))
        if comparisons.count > Self.longest { comparisons.removeFirst() }
    }

    private static func scale(_ wait: Double) -> Double { wait + offset }

    private func mean(_ value: (Comparison) -> Double) -> Double? {
        guard !comparisons.isEmpty else { return nil }
        return comparisons.reduce(0) { $0 + value($1) } / Double(comparisons.count)
    }

    /// The next error lies in each of the `count + 1` gaps between the past ones with the same probability.
    private static func quantile(_ share: Double, _ sorted: [Double]) -> Double {
        let rank = share * Double(sorted.count + 1) - 1
        let place = min(max(rank, 0), Double(sorted.count - 1))
        let index = Int(place)
        let next = min(index + 1, sorted.count - 1)
        return sorted[index] + (sorted[next] - sorted[index]) * (place - Double(index))
    }
}
