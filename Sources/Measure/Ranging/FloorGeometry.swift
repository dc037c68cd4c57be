/// What is asked of each cell: its distances, its zone, its nearest gateway.
struct FloorGeometry: Sendable {
    let centres: [PlanPoint]
    /// By gateway, then by cell: the distance in steps of `step`.
    let distances: [[UInt16]]
    /// The index of the zone; -1 of none.
    let zones: [Int16]
    /// The index of the nearest gateway on the plan; -1 without gateways.
    let nearest: [Int16]
    let zoneCount: Int
    /// By zone: the gateway that is nearest to its cells; `nil` of a zone that has no cell's centre.
    let nearestOfZone: [Int?]

    /// In metres.
    static let step = 0.1
    /// 200 m.
    static let mostSteps = 2000

    init(_ plan: FloorPlan, _ grid: FloorGrid) {
        let centres = grid.mask.indices.map(grid.centre)
        self.centres = centres
        let distances = plan.gateways.map { gateway in
            centres.map { centre in
                let distance = gateway.place.distance(
                    to: RoomPlace(centre, z: plan.beaconHeight))
                return UInt16(min(distance / Self.step, Double(Self.mostSteps - 1)))
            }
        }
        self.distances = distances
        let zones = centres.map { centre in
            Int16(plan.zones.firstIndex { $0.outline.contains(centre) } ?? -1)
        }
        nearest = centres.map { centre in
            let near = plan.gateways.indices.min {
                plan.gateways[$0].place.point.distance(to: centre)
                    < plan.gateways[$1].place.point.distance(to: centre)
            }
            return Int16(near ?? -1)
        }
        self.zones = zones
        zoneCount = plan.zones.count
        nearestOfZone = plan.zones.indices.map { zone in
            let cells = zones.indices.filter { zones[$0] == Int16(clamping: zone) }
            guard !cells.isEmpty else { return nil }
            let sums = distances.map { steps in cells.reduce(0) { $0 + Int(steps[$1]) } }
            return sums.indices.min { sums[$0] < sums[$1] }
        }
    }
}
