/// The whole model: fifty-three fitted numbers. Levels are decibels above the close level.
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
        /// `I` stays within ± this value: a long stay can't outvote the edges.
        let bound: Double
        let constant: Double
        /// The mean over ± 2 s of the louder gateway, the entry and the till.
        let near: [Double]
        /// The same over ± 7 s.
        let wide: [Double]
        /// The tag's own level at the entry and the till, and the larger of both.
        let own: [Double]
    }

    let join: Edge
    let leave: Edge
    let stay: Stay

    /// The bins: seconds before and after the edge, inclusive.
    static let bins = [
        -12 ... -9, -8 ... -6, -5 ... -4, -3 ... -2, -1...1, 2...3, 4...6, 7...9, 10...12,
    ]

    /// The source of the fit: `Tests/QueueBench/fit` on 2026-11-22, maximum likelihood of the sequences of 2,888 visits
    /// and 7,322 other presences in 50 hours of `Tests/QueueBench/simulate`, seeds 101 to 105 and 111 to 115. The worlds (metres / σ in
    /// dB / reports a second / loss in %): 5/6/5/10, 3/6/5/10, 10/6/5/10, 5/8/1/30, 5/4/10/0. The fit began at the weights
    /// of the estimator's specification.
    package static let fitted = LineModel(
        join: Edge(
            constant: -6.955,
            entry: [-0.3640, 0.0074, 0.0033, -0.0206, 0.8113, 0.0478, -0.1243, -0.0327, 0.0398],
            till: [0.0429, -0.0389, -0.0787, -0.0786, -0.0321, -0.0317, 0.1301, 0.0332, 0.1187],
            ownEntry: 0.1285, ownTill: 0.2513),
        leave: Edge(
            constant: -6.555,
            entry: [
                -0.0270, -0.0603, -0.0079, -0.0230, 0.1744, -0.0045, -0.0513, -0.0511, -0.0731,
            ],
            till: [0.0508, 0.0316, 0.0177, -0.0097, 0.5887, -0.2233, -0.2417, -0.0810, -0.1169],
            ownEntry: 0.0558, ownTill: 0.2767),
        stay: Stay(
            bound: 0.1977, constant: -0.3598, near: [-0.0078, -0.0489, 0.0005],
            wide: [0.0765, -0.0146, 0.0476], own: [0.0196, -0.0693, -0.0272]))
}
