/// The model of the decoder: fifty-four fitted numbers. Levels are decibels above the close level.
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
        /// The mean over ± 2 s of the loudest gateway, the entry and the till.
        let near: [Double]
        /// The same over ± 7 s.
        let wide: [Double]
        /// The tag's own level at the entry and the till, and the larger of both.
        let own: [Double]

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

    /// The source of the fit: `Tests/QueueBench/fit` on 2026-11-26, maximum likelihood of the sequences of visits and other
    /// presences in 164 hours of the worlds 5/6/5/10, 3/6/5/10, 10/6/5/10, 5/8/1/30 and 5/4/10/0 (metres / σ in dB / reports a
    /// second / loss in %): 20 of `Tests/QueueBench/simulate` (seed 301), and 25 of the virtual radio (402). 64 of
    /// `Tests/QueueBench/stores` count 0.6 each, 15 with two queues and one entry (402) 0.5, and 40 with rushes 0.15. To the
    /// constant of `join`, `proposal` is added.
    package static let direct = LineModel(
        join: Edge(
            constant: -6.941 + proposal,
            entry: [
                -0.0987, -0.0167, -0.0280, -0.0901, 0.5865, -0.0781, -0.0680, -0.0159, 0.0096,
            ],
            till: [
                0.0156, -0.0032, -0.0228, -0.0192, -0.0024, 0.0298, 0.0647, 0.0256, 0.0946,
            ],
            ownEntry: 0.0128, ownTill: 0.0094),
        leave: Edge(
            constant: -6.541,
            entry: [
                -0.0179, -0.0319, -0.0194, -0.0333, 0.1756, -0.0361, -0.0257, 0.0069, -0.0545,
            ],
            till: [
                0.0781, 0.0619, 0.0279, -0.0331, 0.5637, -0.1529, -0.0927, -0.0343, -0.0873,
            ],
            ownEntry: -0.0366, ownTill: -0.0824),
        stay: Stay(
            bound: 0.2558, offset: 0.0986, constant: -0.4250, near: [-0.0092, -0.0006, -0.0185],
            wide: [0.0234, 0.0037, 0.0553], own: [0.0015, -0.0440, -0.0196]))

    /// For people who browse near the line before they join. The same method, on 2026-11-25: 35 hours of the virtual radio, five of
    /// the first world and six of each world with `--shop` (seeds 402, 2402 and 2403).
    package static let browsing = LineModel(
        join: Edge(
            constant: -6.945 + proposal,
            entry: [
                0.0734, -0.0799, -0.1572, -0.1504, 0.7247, -0.1129, -0.1382, 0.0064, 0.0802,
            ],
            till: [
                0.0883, -0.0485, -0.0373, 0.0188, -0.0986, 0.0221, 0.0522, 0.0493, 0.0858,
            ],
            ownEntry: 0.0468, ownTill: 0.0169),
        leave: Edge(
            constant: -6.545,
            entry: [
                -0.0100, -0.0190, -0.0384, -0.0500, 0.1685, -0.0216, -0.0134, -0.0373, -0.0419,
            ],
            till: [
                0.1193, 0.0491, -0.0134, 0.0143, 0.5177, -0.1831, -0.0883, -0.0822, -0.0832,
            ],
            ownEntry: -0.0176, ownTill: -0.0691),
        stay: Stay(
            bound: 0.1634, offset: 0.0855, constant: -0.4128, near: [0.0356, 0.0030, -0.0049],
            wide: [0.0177, -0.0086, 0.0169], own: [0.0134, -0.0249, -0.0231]))

    /// Nats: the decoder proposes more stays than are probable by their edges, and `VisitModel` judges them. Chosen.
    static let proposal = 4.0
}
