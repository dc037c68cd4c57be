/// One person's way through the place.
struct Visit: Sendable {
    /// A place, and when one is there; between two of them one walks in a straight line, or waits.
    struct Waypoint: Sendable {
        let time: Int64
        let place: Point
    }

    /// The number of the person, unlike anybody else's.
    let entity: UInt64
    let minor: UInt16
    /// In the order of time; never empty.
    private(set) var waypoints: [Waypoint]
    let speed: Double

    init(entity: UInt64, minor: UInt16, speed: Double, start: Waypoint) {
        self.entity = entity
        self.minor = minor
        self.speed = speed
        waypoints = [start]
    }

    var start: Int64 { waypoints.first?.time ?? 0 }
    var end: Int64 { waypoints.last?.time ?? 0 }

    /// Goes straight to `place`.
    mutating func walk(to place: Point) {
        guard let here = waypoints.last else { return }
        let metres = here.place.distance(to: place)
        waypoints.append(
            Waypoint(time: here.time + Int64(metres / speed * 1_000_000), place: place))
    }

    /// Stays where one is until `time`, which may be over.
    mutating func wait(until time: Int64) {
        guard let here = waypoints.last, time > here.time else { return }
        waypoints.append(Waypoint(time: time, place: here.place))
    }

    /// Where the person is at `time`; at the ends of the way outside of it.
    func place(at time: Int64) -> Point {
        var low = 0
        var high = waypoints.count - 1
        // The last knot that is not after `time`.
        while low < high {
            let middle = (low + high + 1) / 2
            if waypoints[middle].time <= time { low = middle } else { high = middle - 1 }
        }
        let before = waypoints[low]
        guard time > before.time, low + 1 < waypoints.count else { return before.place }
        let after = waypoints[low + 1]
        let share = Double(time - before.time) / Double(max(1, after.time - before.time))
        return before.place.between(after.place, share)
    }
}
