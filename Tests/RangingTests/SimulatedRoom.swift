import Foundation
import Primitives
import Ranging

/// A room of 12 × 8 m with four gateways, and levels by the law of distance with shadows and noise, from a seed.
struct SimulatedRoom {
    static let offsets = [2.0, -1.0, 0.0, -3.0]
    static let exponent = 2.2
    static let power = -61.0

    let plan: FloorPlan
    private var generator: SplitMix64

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let corners = [(0.0, 0.0), (12, 0), (12, 8), (0, 8)].map { PlanPoint($0.0, $0.1) }
        plan = FloorPlan(
            floor: PlanPolygon(corners),
            gateways: [(1.0, 1.0), (11, 1), (11, 7), (1, 7)].enumerated().map {
                .init("g\($0)", RoomPlace(PlanPoint($1.0, $1.1), z: 2))
            },
            zones: [
                .init(
                    "west", PlanPolygon([(0, 0), (6, 0), (6, 8), (0, 8)].map { PlanPoint($0, $1) })),
                .init(
                    "east",
                    PlanPolygon([(6, 0), (12, 0), (12, 8), (6, 8)].map { PlanPoint($0, $1) })),
            ])
    }

    mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &generator)
    }

    /// Nearly normal: the sum of twelve.
    mutating func normal(_ deviation: Double) -> Double {
        deviation * ((0..<12).map { _ in uniform(0...1) }.reduce(0, +) - 6)
    }

    mutating func somewhere() -> RoomPlace {
        RoomPlace(PlanPoint(uniform(0.5...11.5), uniform(0.5...7.5)), z: 1)
    }

    mutating func levels(at place: RoomPlace, noise: Double) -> [Double?] {
        plan.gateways.indices.map { gateway in
            let distance = plan.gateways[gateway].place.distance(to: place)
            let law = -10 * Self.exponent * log10(distance)
            return Self.power + Self.offsets[gateway] + law + normal(noise)
        }
    }

    mutating func labels(_ count: Int, noise: Double) -> [RangingLabel] {
        (0..<count).map { _ in
            let place = somewhere()
            return RangingLabel(tag: 0, place: place, levels: levels(at: place, noise: noise))
        }
    }
}
