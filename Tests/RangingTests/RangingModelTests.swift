import Foundation
import Testing

@testable import Ranging

struct RangingModelTests {
    @Test func `the fit finds exponent, offsets and power of a simulated room`() {
        var room = SimulatedRoom(seed: 1)
        let labels = room.labels(150, noise: 2)
        let fit = PathLossFit(
            labels, gateways: room.plan.gateways.map(\.place), claimed: [-59])
        #expect(abs(fit.exponent - SimulatedRoom.exponent) < 0.25)
        #expect(abs(fit.residual - 2) < 0.5)
        for (gateway, offset) in SimulatedRoom.offsets.enumerated() {
            let sum = fit.powers[0].level + fit.offsets[gateway]
            #expect(abs(sum - SimulatedRoom.power - offset) < 2)
        }
    }

    @Test func `one wrong label in ten hardly moves the fit`() {
        var room = SimulatedRoom(seed: 2)
        let labels = room.labels(100, noise: 2).enumerated().map { index, label in
            index % 10 > 0
                ? label
                : RangingLabel(
                    tag: 0, place: label.place, levels: label.levels.map { $0.map { $0 + 30 } })
        }
        let fit = PathLossFit(
            labels, gateways: room.plan.gateways.map(\.place), claimed: [-59])
        #expect(fit.residual < 4)
        #expect(abs(fit.powers[0].level - SimulatedRoom.power) < 3)
    }

    @Test func `without labels the fit is what is known before`() {
        let room = SimulatedRoom(seed: 3)
        let fit = PathLossFit([], gateways: room.plan.gateways.map(\.place), claimed: [-59])
        #expect(fit.exponent == 2 && fit.residual == 5.5 && fit.offsets == [0, 0, 0, 0])
        #expect(fit.powers == [TagPower(claimed: -59)])
    }

    /// The likelihood, computed with logarithms from its definition.
    @Test(arguments: [Evidence.whole, .single, .moving])
    func `the likelihood of cells is that of Student's t, summed over the tag's power`(
        evidence: Evidence
    ) {
        var room = SimulatedRoom(seed: 4)
        let labels = room.labels(5, noise: 3)
        let model = RangingModel(room.plan, labels: labels, claimed: [-59])
        let levels: [Double?] = [-70, -80, nil, -77]
        let power = TagPower(claimed: -60)
        let weights: [Double] = model.likelihood(levels, power: power, evidence).map { Double($0) }
        let taus: [Evidence: Double] = [Evidence.whole: 1.0, .single: 10.0 / 14, .moving: 0.5]
        let tau: Double = taus[evidence] ?? 0
        let places = room.plan.gateways.map(\.place)
        let fields = places.indices.map { gateway in
            LevelField(
                model.grid, gateway: gateway, place: places[gateway], height: 1, model.fit, labels)
        }
        func expected(_ cell: Int) -> Double {
            var total = 0.0
            for step in -4...4 {
                let steps = Double(step) * 0.75
                var sum: Double = -steps * steps / 2
                for (field, level) in zip(fields, levels) {
                    guard let level else { continue }
                    let mean = Double(field.mean[cell / 8][cell % 8])
                    let variance: Double = pow(Double(field.scale[cell / 8][cell % 8]), 7)
                    let z: Double = level - power.level - mean - steps * 3
                    let density: Double = -log(variance) / 2 - 3.5 * log(1 + z * z / variance / 6)
                    sum += tau * density
                }
                total += exp(sum)
            }
            return total
        }
        let best = weights.indices.max { weights[$0] < weights[$1] } ?? 0
        for cell in stride(from: 0, to: weights.count, by: 7) where model.grid.mask[cell] > 0 {
            let ratio: Double = weights[cell] / weights[best]
            let expectedRatio: Double = expected(cell) / expected(best)
            #expect(abs(ratio - expectedRatio) < 1e-4)
        }
    }

    @Test func `places are inside their areas about as often as the areas say`() {
        var room = SimulatedRoom(seed: 5)
        let model = RangingModel(room.plan, labels: room.labels(60, noise: 3), claimed: [-59])
        var (inside, distances, errors) = (0, 0, [Double]())
        for _ in 0..<200 {
            let place = room.somewhere()
            let estimate = model.place(
                room.levels(at: place, noise: 3), power: model.fit.powers[0])
            guard let estimate, let area = estimate.area else {
                Issue.record("no area")
                return
            }
            let error = area.centre.distance(to: place.point)
            errors.append(error)
            if error <= area.radius { inside += 1 }
            for (distance, gateway) in zip(estimate.distances, room.plan.gateways) {
                let truth = gateway.place.distance(to: place)
                guard let distance else { continue }
                if (distance.low...distance.high).contains(truth) { distances += 1 }
            }
            #expect(abs(estimate.zones.reduce(0, +) - 1) < 1e-3)
        }
        #expect((165...200).contains(inside))
        #expect((650...790).contains(distances))
        #expect(errors.sorted()[100] < 2)
    }

    @Test func `one gateway gives a distance and no area`() {
        var room = SimulatedRoom(seed: 6)
        let model = RangingModel(room.plan, labels: room.labels(20, noise: 3), claimed: [-59])
        let estimate = model.place([-70, nil, nil, nil], power: TagPower(claimed: -59))
        #expect(estimate?.area == nil && estimate?.nearest == nil)
        #expect(estimate?.distances.map { $0 != nil } == [true, false, false, false])
        #expect(model.place([nil, nil, nil, nil], power: TagPower(claimed: -59)) == nil)
    }

    @Test(arguments: [Double.nan, .infinity, -1e300, 1e300])
    func `a level that no radio measures breaks nothing`(level: Double) {
        let room = SimulatedRoom(seed: 7)
        let model = RangingModel(room.plan, labels: [], claimed: [-59])
        var filter = MotionFilter(model.grid)
        for estimate in [
            model.place([level, -60, nil, -70], power: TagPower(claimed: -59)),
            filter.advance([level, -60, nil, -70], power: TagPower(claimed: -59), model),
        ] {
            #expect(estimate.map { $0.area?.radius.isFinite ?? true } ?? true)
        }
    }

    @Test func `a floor of any shape has a bounded grid with a cell`() {
        func grid(_ corners: [(Double, Double)]) -> FloorGrid {
            FloorGrid(PlanPolygon(corners.map { PlanPoint($0.0, $0.1) }))
        }
        for corners in [
            [], [(0, 0)], [(0, 0), (1, 1)], [(0, 0), (1e5, 0), (1e5, 1e5)],
            [(0, 0), (1e5, 0), (1e5, 0.1)],
        ] {
            let grid = grid(corners)
            #expect(grid.count > 0 && grid.mask.count <= 20_000)
        }
    }

    @Test func `a walker is followed better with the memory of the second before`() {
        var room = SimulatedRoom(seed: 8)
        let model = RangingModel(room.plan, labels: room.labels(60, noise: 3), claimed: [-59])
        var filter = MotionFilter(model.grid)
        var (with, without) = (0.0, 0.0)
        for second in 0..<200 {
            let angle = Double(second) / 15
            let place = RoomPlace(PlanPoint(6 + 4 * cos(angle), 4 + 3 * sin(angle)), z: 1)
            let levels = room.levels(at: place, noise: 5)
            let power = model.fit.powers[0]
            let moving = filter.advance(levels, power: power, model)?.area
            let still = model.place(levels, power: power)?.area
            with += moving?.centre.distance(to: place.point) ?? 9
            without += still?.centre.distance(to: place.point) ?? 9
        }
        #expect(with < 0.9 * without)
    }

    @Test func `a second without a report widens the area`() {
        let room = SimulatedRoom(seed: 9)
        let model = RangingModel(room.plan, labels: [], claimed: [-59])
        var filter = MotionFilter(model.grid)
        let power = TagPower(claimed: -59)
        var first: PlaceEstimate?
        for _ in 0..<5 { first = filter.advance([-60, -80, -84, -78], power: power, model) }
        var other = filter
        #expect(other.advance([nil, nil, nil, nil], power: power, model) == nil)
        _ = filter.advance([nil, nil, nil, nil], power: power, model, seconds: 30)
        let late = filter.advance([-70, -72, nil, nil], power: power, model)
        #expect((late?.area?.radius ?? 0) > (first?.area?.radius ?? 9))
    }
}
