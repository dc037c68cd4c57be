import Facts

/// The wait of a person who joins now: the rest of the present service, and a mean step for each person in line.
///
/// With the mean step `s`, the time `a` since the present service began, and the expected length `L`, all in seconds and people:
///
///     wait = max(s − a, s / 4) + L · s
///
/// The mean step is of one horizon. A short one sees that a till opens or closes; a long one errs less.
struct Predictor {
    private let horizon: Duration
    /// Of recent errors, the newer with more weight, in square seconds. It begins with an error of a minute.
    private var meanSquare = 3600.0
    private var scored = 0

    static let horizons = [.seconds(900), longestHorizon]
    static let longestHorizon = Duration.seconds(3600)
    /// The share that a new error has in the mean square.
    private static let pace = 0.04
    /// Square seconds: an error of 5 s is as good as none.
    private static let leastSquare = 25.0
    /// A service that lasts longer than usual still takes this share of a step.
    private static let leastRest = 0.25

    init(horizon: Duration) { self.horizon = horizon }

    /// Precision: one over the mean square of recent errors, and of an error of 5 s.
    var weight: Double { 1 / (meanSquare + Self.leastSquare) }

    /// - Parameter steps: the latest one last.
    /// - Returns: `nil` without a step: before two people were served.
    func wait(_ view: LineView, _ steps: [Departures.Step]) -> Double? {
        guard let step = Departures.mean(steps, since: view.second - horizon) else { return nil }
        let start = view.entered.first.map { max($0, steps.last?.left ?? $0) }
        let elapsed = start.map { max(.zero, view.second - $0).inSeconds } ?? 0
        return max(step - elapsed, step * Self.leastRest) + view.expectedLength * step
    }

    mutating func score(_ wait: Double, actual: Double) {
        let error = actual - wait
        scored += 1
        meanSquare += (error * error - meanSquare) * max(Self.pace, 1 / Double(scored))
    }
}
