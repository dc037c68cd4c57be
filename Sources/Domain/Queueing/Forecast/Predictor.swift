/// One way to predict the wait of a person who joins now, with its own record.
struct Predictor {
    /// The ways, by their names in the literature on queues with delay announcements (Ibrahim, Whitt 2009).
    enum Kind: Int, CaseIterable {
        /// The length and the person who joins, divided by the rate of service.
        case queueLength
        /// The time so far of the first in line.
        case headOfLine
        /// The wait of the last who left.
        case lastToLeave
    }

    /// Recent errors, the newer with more weight: their mean, and the mean of their squares.
    private var bias = 0.0
    private var meanSquare = 3600.0
    private(set) var scored = 0

    private static let pace = 0.04

    /// The prediction, corrected by the mean recent error.
    func corrected(_ prediction: Double) -> Double { max(0, prediction + bias) }

    /// Precision: one over the mean square of recent errors.
    var weight: Double { 1 / (meanSquare + 25) }

    mutating func score(_ prediction: Double, actual: Double) {
        let error = actual - corrected(prediction)
        scored += 1
        let pace = max(Self.pace, 1 / Double(scored))
        meanSquare += (error * error - meanSquare) * pace
        bias += (actual - prediction - bias) * pace
    }
}
