/// Where a tag is, as far as the levels say.
package struct PlaceEstimate: Equatable, Sendable {
    /// A distance with its quantiles of 5, 50 and 95 %, in metres.
    package struct Distance: Equatable, Sendable {
        package let low: Double
        package let median: Double
        package let high: Double
        package let proximity: Proximity
    }

    /// A circle that the tag is in with a probability of 90 %. There is no point without it.
    package struct Area: Equatable, Sendable {
        /// The mean.
        package let centre: PlanPoint
        /// In metres.
        package let radius: Double
    }

    /// By the gateways of the plan; `nil` of one that did not hear the tag.
    package let distances: [Distance?]
    /// `nil` if fewer than two gateways heard the tag.
    package let area: Area?
    /// The probability of each zone. The rest is outside of all.
    package let zones: [Double]
    /// Whether zones follow from labels alone, without a plan.
    package let isByLabels: Bool
    /// The gateway that is most probably the nearest one, with its probability; `nil` like the area.
    package let nearest: (gateway: Int, probability: Double)?

    /// - Parameter weights: of the cells; any sum.
    init?(_ weights: [Float], heard: [Bool], _ geometry: FloorGeometry) {
        let sum = Double(weights.reduce(0, +))
        guard sum > 0, sum.isFinite else { return nil }
        distances = zip(heard, geometry.distances).map { isHeard, steps in
            isHeard ? Distance(Histogram(weights, steps), sum) : nil
        }
        var zones = [Double](repeating: 0, count: geometry.zoneCount)
        var nearest = [Double](repeating: 0, count: heard.count)
        var (x, y) = (0.0, 0.0)
        for (cell, weight) in weights.enumerated() where weight > 0 {
            let share = Double(weight) / sum
            x += share * geometry.centres[cell].x
            y += share * geometry.centres[cell].y
            if geometry.zones[cell] >= 0 { zones[Int(geometry.zones[cell])] += share }
            if geometry.nearest[cell] >= 0 { nearest[Int(geometry.nearest[cell])] += share }
        }
        (self.zones, isByLabels) = (zones, false)
        guard heard.count(where: { $0 }) > 1 else {
            (area, self.nearest) = (nil, nil)
            return
        }
        let mean = PlanPoint(x, y)
        let steps = geometry.centres.map {
            UInt16(
                min($0.distance(to: mean) / FloorGeometry.step, Double(FloorGeometry.mostSteps - 1))
            )
        }
        area = Area(centre: mean, radius: Histogram(weights, steps).quantile(0.9, of: sum))
        self.nearest = nearest.indices.max { nearest[$0] < nearest[$1] }
            .map { ($0, nearest[$0]) }
    }

    /// Without a plan.
    init(zones: [Double], gateways: Int) {
        distances = Array(repeating: nil, count: gateways)
        (area, nearest, self.zones, isByLabels) = (nil, nil, zones, true)
    }

    /// Whether it says something about zones.
    package var hasZones: Bool { area != nil || isByLabels }

    package static func == (left: Self, right: Self) -> Bool {
        left.distances == right.distances && left.area == right.area && left.zones == right.zones
            && left.nearest?.gateway == right.nearest?.gateway
            && left.nearest?.probability == right.nearest?.probability
    }
}

extension PlaceEstimate.Distance {
    fileprivate init(_ histogram: Histogram, _ sum: Double) {
        low = histogram.quantile(0.05, of: sum)
        median = histogram.quantile(0.5, of: sum)
        high = histogram.quantile(0.95, of: sum)
        proximity = Proximity(
            immediate: histogram.share(below: Proximity.immediateEnd, of: sum),
            near: histogram.share(below: Proximity.nearEnd, of: sum))
    }
}

/// How near a tag is to a gateway.
package enum Proximity: String, CaseIterable, Sendable {
    case immediate, near, far, unknown

    /// In metres. Common practice; Apple documents no borders.
    static let immediateEnd = 0.5
    static let nearEnd = 3.0
    /// A class is stated from this probability on.
    static let sure = 0.6

    /// - Parameters:
    ///   - immediate: the probability of a distance below 0.5 m.
    ///   - near: that of one below 3 m.
    init(immediate: Double, near: Double) {
        let shares: [(Proximity, Double)] = [
            (.immediate, immediate), (.near, near - immediate), (.far, 1 - near),
        ]
        self = shares.first { $0.1 >= Self.sure }?.0 ?? .unknown
    }
}

/// The weights of cells by steps of distance.
private struct Histogram {
    private var sums: [Double]

    init(_ weights: [Float], _ steps: [UInt16]) {
        sums = Array(repeating: 0, count: FloorGeometry.mostSteps)
        for (weight, step) in zip(weights, steps) { sums[Int(step)] += Double(weight) }
    }

    /// In metres.
    func quantile(_ share: Double, of total: Double) -> Double {
        var sum = 0.0
        for (step, weight) in sums.enumerated() where weight > 0 {
            if sum + weight >= share * total {
                return (Double(step) + (share * total - sum) / weight) * FloorGeometry.step
            }
            sum += weight
        }
        return Double(sums.count) * FloorGeometry.step
    }

    func share(below distance: Double, of total: Double) -> Double {
        sums.prefix(Int((distance / FloorGeometry.step).rounded())).reduce(0, +) / total
    }
}
