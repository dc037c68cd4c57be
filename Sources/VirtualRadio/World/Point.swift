/// A place on the floor, in metres.
package struct Point: Equatable, Sendable {
    package let x: Double
    package let y: Double

    package init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    package func distance(to other: Point) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }

    /// The point that lies `metres` from here on the way to `other`; beyond it, when that is nearer.
    package func towards(_ other: Point, by metres: Double) -> Point {
        let whole = distance(to: other)
        guard whole > 0 else { return self }
        let share = metres / whole
        return Point(x: x + (other.x - x) * share, y: y + (other.y - y) * share)
    }

    /// The point at `share` (0 to 1) of the way to `other`.
    package func between(_ other: Point, _ share: Double) -> Point {
        Point(x: x + (other.x - x) * share, y: y + (other.y - y) * share)
    }
}
