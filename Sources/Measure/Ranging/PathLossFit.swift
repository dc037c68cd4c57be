import Glibc

/// The levels of a tag at a known place.
package struct RangingLabel: Equatable, Sendable {
    /// The index of the tag.
    package let tag: Int
    package let place: RoomPlace
    /// In dBm, by the gateways of the plan; `nil` where it was not heard.
    package let levels: [Double?]

    package init(tag: Int, place: RoomPlace, levels: [Double?]) {
        self.tag = tag
        self.place = place
        self.levels = levels
    }
}

/// The power of a tag at one metre, in dBm, and its standard deviation in dB.
package struct TagPower: Equatable, Sendable {
    package let level: Double
    package let deviation: Double

    /// Of a tag without labels: what its frame claims.
    package init(claimed: Double) {
        self.init(claimed, deviation: PathLossFit.Prior.powerDeviation)
    }

    package init(_ level: Double, deviation: Double) {
        self.level = level
        self.deviation = deviation
    }
}

/// The levels at known places as a straight line of the logarithm of the distance.
///
/// L = P + G − 10 n log10(d): the power P of the tag at one metre, the offset G of the gateway, the exponent n. They are fitted with
/// Huber's weights and normal priors.
package struct PathLossFit: Equatable, Sendable {
    package private(set) var powers: [TagPower]
    /// Of each gateway, in dB.
    package private(set) var offsets: [Double]
    package private(set) var exponent = Prior.exponent
    /// The robust standard deviation of a level at a place, in dB.
    package private(set) var residual = Prior.residual
    /// The number of levels.
    package let count: Int

    /// What is known before any label, with standard deviations.
    enum Prior {
        static let exponent = 2.0
        static let exponentDeviation = 0.5
        /// Of the power that a frame claims.
        static let powerDeviation = 3.0
        static let offsetDeviation = 3.0
        /// How much a fitted power changes later, by its battery and by its bearer.
        static let drift = 1.0
        /// Without labels.
        static let residual = 5.5
        /// So many levels at places count for it.
        static let residualCount = 10.0
    }

    /// Huber's bound, in standard deviations.
    private static let bound = 1.5
    private static let rounds = 12
    /// Nearer than this, the law of distance does not hold, in metres.
    static let nearest = 0.3

    private struct Row {
        let tag: Int
        let gateway: Int
        /// −10 log10(d).
        let slope: Double
        let level: Double
    }

    /// - Parameter claimed: the power at one metre that each tag's frame claims, in dBm.
    package init(_ labels: [RangingLabel], gateways: [RoomPlace], claimed: [Double]) {
        powers = claimed.map { TagPower(claimed: $0) }
        offsets = Array(repeating: 0, count: gateways.count)
        let rows = labels.filter { claimed.indices.contains($0.tag) }.flatMap { label in
            zip(gateways, label.levels).enumerated().compactMap { gateway, pair in
                pair.1.map {
                    Row(
                        tag: label.tag, gateway: gateway,
                        slope: Self.slope(pair.0.distance(to: label.place)), level: $0)
                }
            }
        }
        count = rows.count
        guard !rows.isEmpty else { return }
        for _ in 0..<Self.rounds {
            solve(rows, claimed: claimed)
            estimateResidual(rows)
        }
    }

    /// −10 log10(d).
    static func slope(_ distance: Double) -> Double { -10 * log10(max(distance, nearest)) }

    /// The level of a tag of the power 0 dBm, in dB.
    func level(of gateway: Int, at distance: Double) -> Double {
        offsets[gateway] + exponent * Self.slope(distance)
    }

    private func residual(_ row: Row) -> Double {
        row.level - powers[row.tag].level - offsets[row.gateway] - exponent * row.slope
    }

    /// The median of the absolute residuals, as that of a normal distribution, drawn to the prior while there are few.
    private mutating func estimateResidual(_ rows: [Row]) {
        let sizes = rows.map { abs(residual($0)) }.sorted()
        let robust = sizes[sizes.count / 2] / 0.6745
        let weight = Double(sizes.count) / (Double(sizes.count) + Prior.residualCount)
        residual = max(
            (weight * robust * robust + (1 - weight) * Prior.residual * Prior.residual)
                .squareRoot(), 1)
    }

    /// One step of weighted least squares. Each tag's power is eliminated, so that the matrix has a row for each gateway and one for n.
    private mutating func solve(_ rows: [Row], claimed: [Double]) {
        let size = offsets.count + 1
        let last = size - 1
        var matrix = SymmetricMatrix(size)
        var right = [Double](repeating: 0, count: size)
        for gateway in 0..<last {
            matrix[gateway, gateway] = 1 / (Prior.offsetDeviation * Prior.offsetDeviation)
        }
        let steep = 1 / (Prior.exponentDeviation * Prior.exponentDeviation)
        matrix[last, last] = steep
        right[last] = steep * Prior.exponent
        let claim = 1 / (Prior.powerDeviation * Prior.powerDeviation)
        var heard = [(weight: Double, sum: Double, column: [Double])?](
            repeating: nil, count: powers.count)
        for row in rows {
            let size = abs(residual(row)) / residual
            let weight = (size > Self.bound ? Self.bound / size : 1) / (residual * residual)
            matrix[row.gateway, row.gateway] += weight
            matrix[last, row.gateway] += weight * row.slope
            matrix[last, last] += weight * row.slope * row.slope
            right[row.gateway] += weight * row.level
            right[last] += weight * row.slope * row.level
            var tag =
                heard[row.tag]
                ?? (claim, claim * claimed[row.tag], Array(repeating: 0, count: last + 1))
            tag.weight += weight
            tag.sum += weight * row.level
            tag.column[row.gateway] += weight
            tag.column[last] += weight * row.slope
            heard[row.tag] = tag
        }
        for case let tag? in heard {
            for i in 0..<size {
                right[i] -= tag.column[i] * tag.sum / tag.weight
                for j in 0...i { matrix[i, j] -= tag.column[i] * tag.column[j] / tag.weight }
            }
        }
        let solution = matrix.factor().solve(right)
        offsets = Array(solution.prefix(last))
        exponent = solution[last]
        for case (let index, let tag?) in heard.enumerated() {
            let explained = zip(tag.column, solution).map { $0 * $1 }.reduce(0, +)
            let drift = Prior.drift * Prior.drift
            powers[index] = TagPower(
                (tag.sum - explained) / tag.weight,
                deviation: (1 / tag.weight + drift).squareRoot())
        }
    }

}
