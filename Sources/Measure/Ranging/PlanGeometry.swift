/// A point of the plan, in metres; y goes up.
package struct PlanPoint: Hashable, Sendable {
    package let x: Double
    package let y: Double

    package init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    package func distance(to other: PlanPoint) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
}

/// A place in the room: a point of the plan and a height above the floor, in metres.
package struct RoomPlace: Equatable, Sendable {
    package let point: PlanPoint
    package let z: Double

    package init(_ point: PlanPoint, z: Double) {
        self.point = point
        self.z = z
    }

    /// The distance in space.
    package func distance(to other: RoomPlace) -> Double {
        let (plane, height) = (point.distance(to: other.point), z - other.z)
        return (plane * plane + height * height).squareRoot()
    }
}

/// An area of the plan with one outline.
package struct PlanPolygon: Equatable, Sendable {
    /// Without the repetition of the first one at the end.
    package let corners: [PlanPoint]

    package init(_ corners: [PlanPoint]) {
        self.corners =
            corners.count > 1 && corners.first == corners.last
            ? Array(corners.dropLast()) : corners
    }

    package var edges: [(PlanPoint, PlanPoint)] {
        Array(zip(corners, corners.dropFirst() + corners.prefix(1)))
    }

    /// In square metres.
    package var area: Double {
        abs(edges.map { $0.x * $1.y - $1.x * $0.y }.reduce(0, +)) / 2
    }

    /// Whether a point is inside: a ray from it crosses the outline an odd number of times.
    package func contains(_ point: PlanPoint) -> Bool {
        var isInside = false
        for (a, b) in edges where (a.y > point.y) != (b.y > point.y) {
            let x = a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)
            if point.x < x { isInside.toggle() }
        }
        return isInside
    }

    /// Whether the outlines cross. Outlines that only touch do not.
    package func crosses(_ other: PlanPolygon) -> Bool {
        edges.contains { a, b in other.edges.contains { c, d in Self.cross(a, b, c, d) } }
    }

    /// Whether the outline crosses itself.
    package var crossesItself: Bool { crosses(self) }

    private static func cross(
        _ a: PlanPoint, _ b: PlanPoint, _ c: PlanPoint, _ d: PlanPoint
    ) -> Bool {
        side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
    }

    /// On which side of the line from `a` to `b` a point is: −1, 0 or 1.
    private static func side(_ a: PlanPoint, _ b: PlanPoint, _ point: PlanPoint) -> Int {
        let turn = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
        return abs(turn) < 1e-9 ? 0 : turn > 0 ? 1 : -1
    }

    /// The corners of the smallest rectangle around it.
    package var bounds: (low: PlanPoint, high: PlanPoint) {
        let (x, y) = (corners.map(\.x), corners.map(\.y))
        return (
            PlanPoint(x.min() ?? 0, y.min() ?? 0), PlanPoint(x.max() ?? 0, y.max() ?? 0)
        )
    }
}
