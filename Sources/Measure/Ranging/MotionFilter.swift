import Glibc

/// Where a tag may be that moves: the cells' probabilities, second by second.
package struct MotionFilter: Sendable {
    private var weights: [Float]

    /// Metres that a person walks in a second: the standard deviation along an axis.
    private static let stride = 1.0
    /// The probability of being anywhere, whatever was before.
    private static let jump: Float = 1e-6

    package init(_ grid: FloorGrid) {
        weights = grid.mask.map { $0 / Float(grid.count) }
    }

    /// Takes a second.
    ///
    /// - Returns: where the tag is; `nil` if no gateway has heard it in that second.
    package mutating func advance(
        _ levels: [Double?], power: TagPower, _ model: RangingModel, seconds: Int = 1
    ) -> PlaceEstimate? {
        guard weights.count == model.grid.mask.count else { return nil }
        spread(model.grid, seconds: seconds)
        let heard = levels.map { $0 != nil }
        guard heard.contains(true) else { return nil }
        let likelihood = model.likelihood(levels, power: power, .moving)
        var sum: Float = 0
        for cell in weights.indices {
            weights[cell] *= likelihood[cell]
            sum += weights[cell]
        }
        guard sum > 0, sum.isFinite else {
            self = MotionFilter(model.grid)
            return nil
        }
        for cell in weights.indices { weights[cell] /= sum }
        return PlaceEstimate(weights, heard: heard, model.geometry)
    }

    /// The tag walks: both axes by a normal distribution, within the floor.
    private mutating func spread(_ grid: FloorGrid, seconds: Int) {
        let deviation = Self.stride * Double(min(max(seconds, 1), 60)).squareRoot() / grid.step
        let reach = min(Int((3 * deviation).rounded(.up)), 60)
        let kernel = (0...reach).map { Float(exp(-Double($0 * $0) / (2 * deviation * deviation))) }
        var columns = weights
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                var sum = kernel[0] * weights[row * grid.columns + column]
                for step in 1...max(reach, 1) {
                    let (left, right) = (column - step, column + step)
                    if left >= 0 { sum += kernel[step] * weights[row * grid.columns + left] }
                    if right < grid.columns {
                        sum += kernel[step] * weights[row * grid.columns + right]
                    }
                }
                columns[row * grid.columns + column] = sum
            }
        }
        var total: Float = 0
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let cell = row * grid.columns + column
                guard grid.mask[cell] > 0 else {
                    weights[cell] = 0
                    continue
                }
                var sum = kernel[0] * columns[cell]
                for step in 1...max(reach, 1) {
                    let (below, above) = (row - step, row + step)
                    if below >= 0 { sum += kernel[step] * columns[below * grid.columns + column] }
                    if above < grid.rows {
                        sum += kernel[step] * columns[above * grid.columns + column]
                    }
                }
                weights[cell] = sum
                total += sum
            }
        }
        let unit = total > 0 ? 1 / total : 0
        let least = Self.jump / Float(grid.count)
        for cell in weights.indices where grid.mask[cell] > 0 {
            weights[cell] = weights[cell] * unit + least
        }
    }
}
