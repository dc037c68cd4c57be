/// The model of the decoder: fifty-three fitted numbers. Levels are decibels above the close level.
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

    /// The source of the fit: `Tests/QueueBench/fit` on 2026-11-22, maximum likelihood of the sequences of visits and other
    /// presences in 90 hours: 30 of `Tests/QueueBench/simulate` (seeds 301 to 305) and 60 of the virtual radio (402 and
    /// 501). The worlds (metres / σ in dB / reports a second / loss in %): 5/6/5/10, 3/6/5/10, 10/6/5/10, 5/8/1/30,
    /// 5/4/10/0. To the constant of `join`, `proposal` is added.
    package static let fitted = LineModel(
        join: Edge(
            constant: -6.992 + proposal,
            entry: [
                -0.1338, -0.0112, -0.0394, -0.0952, 0.6960, -0.0638, -0.0979, -0.0313, 0.0218,
            ],
            till: [
                0.0643, -0.0761, -0.0735, -0.1125, -0.0313, 0.0206, 0.1127, 0.0438, 0.1039,
            ],
            ownEntry: 0.0420, ownTill: 0.1262),
        leave: Edge(
            constant: -6.592,
            entry: [
                -0.0098, -0.0233, -0.0378, -0.0228, 0.1427, -0.0334, -0.0293, -0.0487, -0.0356,
            ],
            till: [
                0.0556, 0.0467, 0.0389, -0.0009, 0.5785, -0.2322, -0.1533, -0.1365, -0.1463,
            ],
            ownEntry: -0.0539, ownTill: 0.4513),
        stay: Stay(
            bound: 0.2966, constant: -0.2351, near: [-0.0478, 0.0241, -0.0910],
            wide: [0.0832, -0.0449, 0.1287], own: [0.0197, -0.0553, -0.0319]))

    /// The decoder proposes more stays than are probable by their edges; `VisitModel` judges them.
    static let proposal = 2.0
}
