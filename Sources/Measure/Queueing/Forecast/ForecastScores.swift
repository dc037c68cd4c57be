import JSON

/// Forecasts that were compared with the wait that then came, added up.
package struct ForecastScores: Equatable, Sendable {
    package private(set) var count: Int64 = 0
    /// Sums in milliseconds: of the forecasts, of the waits that followed, and of the differences.
    private var forecastMs: Int64 = 0
    private var waitMs: Int64 = 0
    private var errorMs: Int64 = 0
    /// Waits inside the interval of their forecast.
    private var inside: Int64 = 0

    package init() {}

    mutating func add(_ forecast: Forecast, actual wait: Duration) {
        let forecastMs = Int64((forecast.wait * 1000).rounded())
        count &+= 1
        self.forecastMs &+= forecastMs
        waitMs &+= wait.milliseconds
        errorMs &+= abs(forecastMs - wait.milliseconds)
        inside &+= forecast.holds(wait) ? 1 : 0
    }

    package mutating func merge(_ other: ForecastScores) {
        count &+= other.count
        forecastMs &+= other.forecastMs
        waitMs &+= other.waitMs
        errorMs &+= other.errorMs
        inside &+= other.inside
    }

    /// Means in milliseconds; `nil` before the first comparison.
    var meanForecast: Int64? { mean(forecastMs) }
    var meanWait: Int64? { mean(waitMs) }
    var meanError: Int64? { mean(errorMs) }
    /// The share of waits inside their interval.
    var insideShare: Double? { count > 0 ? Double(inside) / Double(count) : nil }

    private func mean(_ sum: Int64) -> Int64? { count > 0 ? sum / count : nil }

    var stored: JSON {
        .array([count, forecastMs, waitMs, errorMs, inside].map { .integer($0) })
    }

    /// Reads what `stored` wrote.
    init?(_ stored: JSON?) {
        guard case .array(let elements) = stored else { return nil }
        let numbers = elements.compactMap { element -> Int64? in
            guard case .integer(let number) = element, number >= 0 else { return nil }
            return number
        }
        guard numbers.count == 5, elements.count == 5 else { return nil }
        (count, forecastMs, waitMs) = (numbers[0], numbers[1], numbers[2])
        (errorMs, inside) = (numbers[3], numbers[4])
    }
}
