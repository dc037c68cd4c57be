import Facts

/// Forecasts the wait of a person who joins now, and compares each forecast with what then came.
///
/// Predictors of several horizons are blended, each weighted by its own recent errors.
struct Forecaster {
    /// A forecast with its predictions.
    private struct Made {
        let second: UnixSecond
        let predictions: [Double]
        let forecast: Forecast
    }

    private var predictors = Predictor.horizons.map { Predictor(horizon: $0) }
    private var departures = Departures()
    private var made: [Made] = []
    private var record = ForecastRecord()
    /// The forecast of the present; `nil` before two visits.
    private(set) var latest: Forecast?
    /// The forecasts of final visits, until the minutes in which these joined are final.
    private var compared: [(joined: UnixSecond, forecast: Forecast, wait: Duration)] = []

    /// Between two forecasts.
    static let period = Duration.seconds(10)
    /// Longer visits are not compared: it bounds the state.
    private static let longestKept = Duration.seconds(2 * 3600)

    /// Makes the forecast of a moment.
    mutating func forecast(_ view: LineView) {
        latest = nil
        let steps = departures.steps(view.served)
        let predictions = predictors.compactMap { $0.wait(view, steps) }
        guard predictions.count == predictors.count else { return }
        let wait = blend(predictions)
        let interval = record.interval(around: wait)
        let forecast = Forecast(
            wait: wait, low: interval.low, high: interval.high, record: record.summary)
        made.removeFirst(made.prefix { view.second - $0.second > Self.longestKept }.count)
        made.append(Made(second: view.second, predictions: predictions, forecast: forecast))
        latest = forecast
    }

    /// Notes seconds in which people may leave unseen.
    mutating func note(unseen seconds: Range<UnixSecond>) { departures.note(unseen: seconds) }

    /// Takes a visit that is final, and compares the forecast of its beginning with its wait.
    mutating func on(_ visit: Visit) {
        departures.note(visit)
        guard visit.isMeasured, let made = made.last(where: { $0.second <= visit.entered.second }),
            visit.entered.second - made.second < Self.period * 2
        else { return }
        for (index, prediction) in made.predictions.enumerated() {
            predictors[index].score(prediction, actual: visit.wait.inSeconds)
        }
        record.score(made.forecast, actual: visit.wait)
        compared.append((visit.entered.second, made.forecast, visit.wait))
    }

    /// The comparisons of those who joined before a second, each once.
    mutating func takeScores(before second: UnixSecond) -> ForecastScores {
        defer { compared.removeAll { $0.joined < second } }
        return compared.reduce(into: ForecastScores()) { scores, one in
            if one.joined < second { scores.add(one.forecast, actual: one.wait) }
        }
    }

    private func blend(_ predictions: [Double]) -> Double {
        let sum = zip(predictors, predictions).reduce(0) { $0 + $1.0.weight * $1.1 }
        return sum / predictors.reduce(0) { $0 + $1.weight }
    }
}

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
