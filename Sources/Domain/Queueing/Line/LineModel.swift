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

    /// The source of the fit: `Tests/QueueBench/fit` on 2026-11-22, maximum likelihood of the sequences of visits and other
    /// presences in 108 hours: 30 of `Tests/QueueBench/simulate` (seeds 301 to 305) and 78 of the virtual radio (402 and
    /// 501, and more hours of the second and fourth world with 403 and 404). The worlds (metres / σ in dB / reports a
    /// second / loss in %): 5/6/5/10, 3/6/5/10, 10/6/5/10, 5/8/1/30, 5/4/10/0. To the constant of `join`, `proposal`
    /// is added.
    package static let fitted = LineModel(
        join: Edge(
            constant: -6.997 + proposal,
            entry: [
                -0.1200, 0.0014, -0.0180, -0.0851, 0.6064, -0.0559, -0.0779, -0.0231, 0.0245,
            ],
            till: [
                0.0687, -0.0601, -0.0824, -0.0959, -0.0485, 0.0237, 0.0993, 0.0343, 0.0819,
            ],
            ownEntry: 0.0275, ownTill: 0.0721),
        leave: Edge(
            constant: -6.597,
            entry: [
                -0.0242, -0.0256, -0.0271, -0.0222, 0.1472, -0.0267, -0.0199, -0.0408, -0.0319,
            ],
            till: [
                0.0487, 0.0378, 0.0354, 0.0003, 0.5308, -0.2048, -0.1489, -0.1192, -0.1167,
            ],
            ownEntry: -0.0646, ownTill: 0.4136),
        stay: Stay(
            bound: 0.2963, constant: -0.2260, near: [-0.0596, 0.0330, -0.0736],
            wide: [0.0796, -0.0389, 0.1121], own: [0.0317, -0.0554, -0.0446]))

    /// For people who browse near the line before they join. The same method, on 2026-11-25: 35 hours of the virtual radio, five of
    /// the first world and six of each world with `--shop` (seeds 402, 2402 and 2403).
    package static let browsing = LineModel(
        join: Edge(
            constant: -6.950 + proposal,
            entry: [
                0.0686, -0.0959, -0.1577, -0.1415, 0.7997, -0.1090, -0.1557, -0.0055, 0.1109,
            ],
            till: [
                0.0815, -0.0204, -0.0342, 0.0013, -0.1379, 0.0354, 0.0392, 0.0186, 0.0868,
            ],
            ownEntry: 0.0698, ownTill: 0.0899),
        leave: Edge(
            constant: -6.550,
            entry: [
                0.0186, -0.0372, -0.0489, -0.0752, 0.1744, -0.0353, -0.0169, -0.0400, -0.0251,
            ],
            till: [
                0.1118, 0.0533, -0.0062, 0.0062, 0.5123, -0.1961, -0.1297, -0.1155, -0.0922,
            ],
            ownEntry: 0.0098, ownTill: 0.0366),
        stay: Stay(
            bound: 0.1496, constant: -0.3477, near: [0.0326, -0.0446, 0.0073],
            wide: [0.0589, -0.0230, 0.0264], own: [0.0063, -0.0489, -0.0128]))

    /// Nats: the decoder proposes more stays than are probable by their edges, and `VisitModel` judges them. Chosen.
    static let proposal = 4.0
}
