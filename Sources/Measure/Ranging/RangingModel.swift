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
    package init(
        _ plan: FloorPlan, labels: [RangingLabel], claimed: [Double],
        mostCells: Int = FloorGrid.mostCells
    ) {
        let grid = FloorGrid(plan.floor, most: mostCells)
        var draft = RangingModelDraft(
            FloorGeometry(plan, grid), plan, grid, labels: labels, claimed: claimed)
        while draft.fields.count < plan.gateways.count { draft.addField() }
        self.init(draft)
    }

    fileprivate init(_ draft: RangingModelDraft) {
        (plan, grid, fit, fields) = (draft.plan, draft.grid, draft.fit, draft.fields)
        geometry = draft.geometry
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

/// A model that is made gateway by gateway: a field of 200 labels and 1,400 cells takes 50 ms.
struct RangingModelDraft: Sendable {
    let plan: FloorPlan
    let grid: FloorGrid
    let fit: PathLossFit
    fileprivate let geometry: FloorGeometry
    private let labels: [RangingLabel]
    private(set) var fields: [LevelField] = []

    /// Of the same plan as a model.
    init(after model: RangingModel, labels: [RangingLabel], claimed: [Double]) {
        self.init(model.geometry, model.plan, model.grid, labels: labels, claimed: claimed)
    }

    fileprivate init(
        _ geometry: FloorGeometry, _ plan: FloorPlan, _ grid: FloorGrid, labels: [RangingLabel],
        claimed: [Double]
    ) {
        (self.geometry, self.plan, self.grid) = (geometry, plan, grid)
        self.labels = Array(labels.suffix(RangingModel.mostLabels))
        fit = PathLossFit(self.labels, gateways: plan.gateways.map(\.place), claimed: claimed)
    }

    mutating func addField() {
        let gateway = fields.count
        guard gateway < plan.gateways.count else { return }
        fields.append(
            LevelField(
                grid, gateway: gateway, place: plan.gateways[gateway].place,
                height: plan.beaconHeight, fit, labels))
    }

    /// `nil` until it has the fields of all gateways.
    var model: RangingModel? { fields.count < plan.gateways.count ? nil : RangingModel(self) }
}

extension RangingModel {
    /// The most probable place in a zone: the mean of its cells, or the cell nearest to a mean that is outside of it.
    func place(_ levels: [Double?], power: TagPower, in zone: Int) -> PlanPoint {
        let weights = likelihood(levels, power: power, .whole)
        let inside = geometry.zones.indices.filter { geometry.zones[$0] == Int16(clamping: zone) }
        let sum = inside.reduce(0) { $0 + Double(weights[$1]) }
        let outline = plan.zones[zone].outline
        func placed(_ mean: PlanPoint) -> PlanPoint {
            guard !outline.contains(mean) else { return mean }
            let near = inside.min {
                geometry.centres[$0].distance(to: mean) < geometry.centres[$1].distance(to: mean)
            }
            return near.map { geometry.centres[$0] } ?? mean
        }
        guard sum > 0, sum.isFinite else {
            let (low, high) = outline.bounds
            return placed(PlanPoint((low.x + high.x) / 2, (low.y + high.y) / 2))
        }
        let (x, y) = inside.reduce((0.0, 0.0)) { total, cell in
            let share = Double(weights[cell]) / sum
            return (
                total.0 + share * geometry.centres[cell].x,
                total.1 + share * geometry.centres[cell].y
            )
        }
        return placed(PlanPoint(x, y))
    }
}
