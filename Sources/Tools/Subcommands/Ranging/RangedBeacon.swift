import Beacons
import JSON
import Primitives
import Ranging

/// What the gateways say of one beacon, as text and JSON.
struct RangedBeacon {
    let beacon: BeaconIdentity
    let site: String
    /// dBm, by the gateways of the plan.
    let levels: [Double?]
    let estimate: PlaceEstimate
    let plan: FloorPlan

    var json: JSON {
        var members: [JSON.Member] = [
            .init("v", 1), .init("kind", "ranging"), .init("site", .string(site)),
            .init("beacon", .string("\(beacon)")), .init("gateways", .array(gateways)),
        ]
        if let area = estimate.area {
            members.append(
                .init(
                    "place",
                    [
                        "x": Self.number(area.centre.x), "y": Self.number(area.centre.y),
                        "radius": Self.number(area.radius),
                    ]))
            members.append(.init("zone", zone.map { .string($0) } ?? .null))
            members.append(.init("zones", .object(zones)))
        }
        if let nearest = estimate.nearest {
            members.append(
                .init(
                    "nearest",
                    [
                        "gateway": .string(plan.gateways[nearest.gateway].name),
                        "probability": Self.number(nearest.probability),
                    ]))
        }
        return .object(members)
    }

    private var gateways: [JSON] {
        plan.gateways.indices.compactMap { index in
            guard let level = levels[index], let distance = estimate.distances[index] else {
                return nil
            }
            return [
                "gateway": .string(plan.gateways[index].name), "level": Self.number(level),
                "m": Self.number(distance.median), "low": Self.number(distance.low),
                "high": Self.number(distance.high),
                "proximity": .string(distance.proximity.rawValue),
            ]
        }
    }

    private var zones: [JSON.Member] {
        zip(plan.zones, estimate.zones).filter { $0.1 >= 0.005 }
            .map { .init($0.name, Self.number($1)) }
    }

    /// The zone with a probability of 80 %.
    private var zone: String? {
        var decision = ZoneDecision()
        decision.take(estimate.zones)
        return decision.zone.map { plan.zones[$0].name }
    }

    static let columns = ["BEACON", "GATEWAY", "DISTANCE", "90 %", "PLACE", "90 % WITHIN", "ZONE"]

    /// The nearest gateway by the median alone has the row's distance.
    var row: [String] {
        let near = plan.gateways.indices.filter { estimate.distances[$0] != nil }.min {
            (estimate.distances[$0]?.median ?? 0) < (estimate.distances[$1]?.median ?? 0)
        }
        let distance = near.flatMap { estimate.distances[$0] }
        let best = estimate.zones.indices.max { estimate.zones[$0] < estimate.zones[$1] }
        let percent = best.map { Int((estimate.zones[$0] * 100).rounded()) } ?? 0
        return [
            "\(beacon)", near.map { plan.gateways[$0].name.printable() } ?? "",
            distance.map { "\(Self.tenths($0.median)) m" } ?? "",
            distance.map { "\(Self.tenths($0.low)) to \(Self.tenths($0.high)) m" } ?? "",
            estimate.area.map {
                "\(Self.tenths($0.centre.x)), \(Self.tenths($0.centre.y))"
            } ?? "unknown",
            estimate.area.map { "\(Self.tenths($0.radius)) m" } ?? "",
            estimate.area == nil
                ? "" : best.map { "\(plan.zones[$0].name.printable()) \(percent) %" } ?? "",
        ]
    }

    private static func number(_ value: Double) -> JSON {
        .number((value * 1000).rounded() / 1000)
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
