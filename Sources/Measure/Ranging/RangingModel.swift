import Glibc

/// What is known of a site's floor: the law of distance, the field of each gateway, and the tags' powers.
package struct RangingModel: Sendable {
    typealias Block = FloorGrid.Block

    package let plan: FloorPlan
    package let grid: FloorGrid
    package let fit: PathLossFit
    private let fields: [LevelField]
    let geometry: FloorGeometry

    /// More labels do not improve a field of these cells.
    package static let mostLabels = 200
    /// The steps of a tag's power that are summed over, in standard deviations.
    private static let steps: [Float] = (-4...4).map { Float($0) * 0.75 }
    private static let stepWeights = steps.map { exp(-$0 * $0 / 2) }

    /// - Parameters:
    ///   - labels: the newest last; levels by the gateways of the plan.
    ///   - claimed: the power at one metre that each tag claims, in dBm.
    package init(_ plan: FloorPlan, labels: [RangingLabel], claimed: [Double]) {
        let labels = Array(labels.suffix(Self.mostLabels))
        let places = plan.gateways.map(\.place)
        let fit = PathLossFit(labels, gateways: places, claimed: claimed)
        let grid = FloorGrid(plan.floor)
        fields = places.indices.map { gateway in
            LevelField(
                grid, gateway: gateway, place: places[gateway], height: plan.beaconHeight, fit,
                labels)
        }
        (self.plan, self.grid, self.fit) = (plan, grid, fit)
        geometry = FloorGeometry(plan, grid)
    }

    /// The likelihood of each cell; the largest is near 1.
    ///
    /// - Parameters:
    ///   - levels: in dBm, by the gateways of the plan; `nil` of a gateway that did not hear the tag, or did not listen.
    package func likelihood(
        _ levels: [Double?], power: TagPower, _ evidence: Evidence
    ) -> [Float] {
        let heard = zip(fields, levels).compactMap { field, level in
            level.flatMap {
                $0.isFinite ? (field: field, level: Float($0 - power.level)) : nil
            }
        }
        let shifts = Self.steps.map { $0 * Float(power.deviation) }
        var products = [Block](repeating: Block(repeating: 1), count: grid.blocks * shifts.count)
        var least = Block(repeating: .infinity)
        for (field, level) in heard {
            products.withUnsafeMutableBufferPointer { products in
                for block in 0..<grid.blocks {
                    let distance = level - field.mean[block]
                    let (scale, factor) = (field.scale[block], field.factor[block])
                    for shift in shifts.indices {
                        let z = distance - shifts[shift]
                        products[block * shifts.count + shift] *= scale + factor * z * z
                    }
                }
            }
        }
        for product in products { least = pointwiseMin(least, product) }
        let unit = 1 / least.min()
        var result: [Float] = []
        result.reserveCapacity(grid.mask.count)
        for block in 0..<grid.blocks {
            var sum = Block(repeating: 0)
            for shift in shifts.indices {
                let product = products[block * shifts.count + shift] * unit
                sum += Self.stepWeights[shift] * evidence.weight(product)
            }
            for lane in 0..<8 { result.append(sum[lane] * grid.mask[block * 8 + lane]) }
        }
        return result
    }

    /// Where a tag is that stands still; `nil` if no gateway heard it.
    package func place(_ levels: [Double?], power: TagPower) -> PlaceEstimate? {
        let heard = levels.count { $0 != nil }
        guard heard > 0 else { return nil }
        let weights = likelihood(levels, power: power, heard > 1 ? .whole : .single)
        return PlaceEstimate(weights, heard: levels.map { $0 != nil }, geometry)
    }
}
