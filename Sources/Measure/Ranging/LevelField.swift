import Glibc

/// The level that a gateway hears of a tag of 0 dBm, by the cell of the floor, and how sure that is.
///
/// The mean is the law of distance, corrected by a Gaussian process of what the labels lack.
struct LevelField: Sendable {
    typealias Block = FloorGrid.Block

    /// In dB.
    private(set) var mean: [Block]
    /// A likelihood is (scale + factor · z²)^−(ν+1)/2, where z is the distance to the mean.
    private(set) var scale: [Block]
    private(set) var factor: [Block]

    /// Of the Gaussian process: shares of the residual's variance, and metres.
    enum Process {
        static let variance = 0.75
        static let nugget = 0.25
        static let length = 2.5
    }

    /// Of the noise within seconds, in dB.
    static let noise = 3.0
    /// The degrees of freedom of Student's t.
    static let freedom = 6.0

    init(
        _ grid: FloorGrid, gateway: Int, place: RoomPlace, height: Double, _ fit: PathLossFit,
        _ labels: [RangingLabel]
    ) {
        let known: [(place: RoomPlace, residual: Double)] = labels.compactMap { label in
            label.levels[gateway].map { level in
                let distance = place.distance(to: label.place)
                return (
                    label.place,
                    level - fit.powers[label.tag].level - fit.level(of: gateway, at: distance)
                )
            }
        }
        let square = fit.residual * fit.residual
        var kernel = SymmetricMatrix(known.count)
        for row in known.indices {
            for column in 0...row {
                kernel[row, column] =
                    Self.covariance(known[row].place, known[column].place) * square
            }
            kernel[row, row] += Process.nugget * square
        }
        let factor = kernel.factor()
        let coefficients = factor.solve(known.map(\.residual))
        var (means, scales, factors) = ([Float](), [Float](), [Float]())
        for cell in grid.mask.indices {
            let here = RoomPlace(grid.centre(cell), z: height)
            var (level, variance) = (0.0, 1.0)
            if grid.mask[cell] > 0 {
                let near = known.map { Self.covariance(here, $0.place) * square }
                let explained = factor.forward(near).map { $0 * $0 }.reduce(0, +)
                level =
                    fit.level(of: gateway, at: place.distance(to: here))
                    + zip(near, coefficients).map { $0 * $1 }.reduce(0, +)
                variance = max(Process.variance * square - explained, 0) + Self.noise * Self.noise
            }
            // σ^−1 of the density belongs to the likelihood.
            let scale = pow(variance, 1 / (Self.freedom + 1))
            means.append(Float(level))
            scales.append(Float(scale))
            factors.append(Float(scale / (Self.freedom * variance)))
        }
        mean = Self.blocks(means)
        scale = Self.blocks(scales)
        self.factor = Self.blocks(factors)
    }

    private static func covariance(_ a: RoomPlace, _ b: RoomPlace) -> Double {
        Process.variance * exp(-a.distance(to: b) / Process.length)
    }

    private static func blocks(_ values: [Float]) -> [Block] {
        stride(from: 0, to: values.count, by: 8).map { Block(values[$0..<$0 + 8]) }
    }
}
