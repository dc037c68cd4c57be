/// The model of the decoder: fifty-four numbers, fitted in `FittedModels.swift`. Levels are decibels above the close level.
///
/// Scores are log-odds. `J` is the score for joining the line in a second, `K` for leaving it, and `I` for each second
/// in line.
package struct LineModel: Sendable {
    /// The weights of one kind of edge, over nine bins around the second.
    package struct Edge: Sendable {
        let constant: Double
        /// A weight a decibel for each of the 25 seconds around the edge, at the entry and at the till.
        let entry: [Double]
        let till: [Double]
        /// The tag's own level at both.
        let ownEntry: Double
        let ownTill: Double

        /// - Parameters:
        ///   - entry: a weight a decibel for the mean level of each bin; so `till`.
        init(
            constant: Double, entry: [Double], till: [Double], ownEntry: Double, ownTill: Double
        ) {
            self.constant = constant
            self.entry = Self.perSecond(entry)
            self.till = Self.perSecond(till)
            self.ownEntry = ownEntry
            self.ownTill = ownTill
        }

        /// The weight of a bin's mean, shared among its seconds.
        private static func perSecond(_ weights: [Double]) -> [Double] {
            zip(LineModel.bins, weights).flatMap { bin, weight in
                bin.map { _ in weight / Double(bin.count) }
            }
        }
    }

    /// The weights of a second in line.
    package struct Stay: Sendable {
        /// `I` stays within ± this value around `offset`: a long stay can't outvote the edges.
        let bound: Double
        /// Above 0: a long stay with a weak tag costs less than a loud one gains.
        let offset: Double
        let constant: Double
        /// Seconds of the means `near` and `wide` before and after the second.
        static let nearReach = 2
        static let wideReach = 7
        /// Of the means over ± 2 s.
        let near: Weights
        /// Of the means over ± 7 s.
        let wide: Weights
        /// Of the tag's own levels; `loudest` is the weight of the larger one.
        let own: Weights

        /// The cost of a second, for each decibel by which the mean over ± 7 s of the loudest gateway is below
        /// `RoleLevels.away`. The bound does not hold it. It is chosen, not fitted: in the worlds of the fit, no tag came back.
        ///
        /// A person may pass the line twice, or pass it and come back to join. The bound alone would make one stay of both
        /// passages.
        static let absence = 0.25
    }

    let join: Edge
    let leave: Edge
    let stay: Stay

    /// The bins: seconds before and after the edge, inclusive.
    static let bins = [
        -12 ... -9, -8 ... -6, -5 ... -4, -3 ... -2, -1...1, 2...3, 4...6, 7...9, 10...12,
    ]

    /// Nats: the decoder proposes more stays than are probable by their edges, and `VisitModel` judges them. Chosen.
    static let proposal = 4.0
}

/// A weight for each of the levels that a tag has at a queue.
struct Weights: Sendable {
    let entry: Double
    let till: Double
    /// Of the loudest gateway.
    let loudest: Double
}

/// Levels, or their weights, at both ends of the line.
struct LineEnds: Equatable, Sendable {
    var entry: Double
    var till: Double
}
