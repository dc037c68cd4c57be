import Facts

/// The wait of a person who joins now. It is a result of equations: real numbers of seconds.
package struct Forecast: Equatable, Sendable {
    package let wait: Double
    /// The 90 % interval.
    package let low: Double
    package let high: Double
    /// How forecasts of this queue did until now.
    package let record: ForecastRecord.Summary

    /// Whether a wait is inside the interval.
    func holds(_ wait: Duration) -> Bool { low <= wait.inSeconds && wait.inSeconds <= high }
}
