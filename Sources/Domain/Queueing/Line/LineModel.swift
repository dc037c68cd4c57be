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

    /// The source of the fit: `Tests/QueueBench/fit` on 2026-11-22, maximum likelihood of the sequences of 1,136 visits
    /// and 2,900 other presences in 20 hours of `Tests/QueueBench/simulate`, seeds 101 to 105. The worlds (metres / σ in
    /// dB / reports a second / loss in %): 5/6/5/10, 3/6/5/10, 10/6/5/10, 5/8/1/30, 5/4/10/0. The fit began at the weights
    /// of the estimator's specification.
    package static let fitted = LineModel(
        join: Edge(
            constant: -6.958,
            entry: [-0.3915, -0.0004, -0.0029, -0.0067, 0.9281, 0.0934, -0.1495, -0.0705, 0.0595],
            till: [0.1186, -0.0090, -0.0842, -0.0855, -0.0852, -0.0078, 0.0948, 0.0186, 0.1377],
            ownEntry: 0.2217, ownTill: 0.2970),
        leave: Edge(
            constant: -6.558,
            entry: [0.0020, -0.0301, -0.0119, -0.0434, 0.1949, -0.0220, 0.0073, -0.0815, -0.0767],
            till: [0.0564, -0.0076, 0.0081, -0.0161, 0.6127, -0.2214, -0.2919, 0.0019, -0.1540],
            ownEntry: 0.0417, ownTill: 0.2292),
        stay: Stay(
            bound: 0.2393, constant: -0.4315, near: [-0.0235, -0.0339, 0.0011],
            wide: [0.0543, 0.0053, 0.0361], own: [-0.0096, -0.0641, 0.0067]))
}
