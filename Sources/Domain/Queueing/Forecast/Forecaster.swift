/// Forecasts the wait of a person who joins now, and compares each forecast with what then came.
///
/// Three predictors are blended, each weighted by its own recent errors.
struct Forecaster {
    /// A forecast with its predictions.
    private struct Made {
        let second: Int64
        let predictions: [Double?]
        let forecast: Forecast
    }

    private var predictors = Predictor.Kind.allCases.map { _ in Predictor() }
    private var rate = ServiceRate()
    /// The last stay that ended at the till.
    private var last: LineStay?
    private var made: [Made] = []
    private var record = ForecastRecord()

    /// Seconds between forecasts.
    static let period: Int64 = 10
    /// Longer visits are not compared: it bounds the state.
    private static let longestKept: Int64 = 2 * 3600

    mutating func note(busyAt second: Int64) { rate.note(busyAt: second) }

    /// Makes the forecast of a moment; `nil` before anybody was served.
    mutating func forecast(_ view: LineView) -> Forecast? {
        let latest = ([last].compactMap(\.self) + view.served)
            .max { ($0.left.second, $0.entered.second) < ($1.left.second, $1.entered.second) }
        let queueLength = rate.value(view).map { (view.expectedLength + 1) / $0 }
        let headOfLine = view.entered.first.map { Double(view.second - $0) }
        let predictions = [queueLength, headOfLine, latest.map { Double($0.wait) }]
        guard let wait = blend(predictions) else { return nil }
        let interval = record.interval(around: wait)
        let forecast = Forecast(
            wait: wait, low: interval.low, high: interval.high, record: record.summary)
        made.removeFirst(made.prefix { $0.second < view.second - Self.longestKept }.count)
        made.append(Made(second: view.second, predictions: predictions, forecast: forecast))
        return forecast
    }

    /// Takes a visit that is final, and compares the forecast of its beginning with its wait.
    ///
    /// - Returns: the forecast; `nil` where there was none.
    mutating func on(_ visit: Visit) -> Forecast? {
        guard visit.end == .served, visit.isExact else { return nil }
        rate.note(departureAt: visit.left.second)
        let order = (visit.left.second, visit.entered.second)
        if last.map({ ($0.left.second, $0.entered.second) < order }) ?? true {
            last = LineStay(
                entered: visit.entered, left: visit.left, end: .served, gain: 0,
                logOdds: visit.logOdds)
        }
        guard let made = made.last(where: { $0.second <= visit.entered.second }),
            visit.entered.second - made.second < 2 * Self.period
        else { return nil }
        for (index, prediction) in made.predictions.enumerated() {
            if let prediction { predictors[index].score(prediction, actual: Double(visit.wait)) }
        }
        record.score(made.forecast, actual: visit.wait)
        return made.forecast
    }

    private func blend(_ predictions: [Double?]) -> Double? {
        var sum = 0.0
        var weights = 0.0
        for (predictor, prediction) in zip(predictors, predictions) {
            guard let prediction else { continue }
            sum += predictor.weight * predictor.corrected(prediction)
            weights += predictor.weight
        }
        return weights > 0 ? sum / weights : nil
    }
}
