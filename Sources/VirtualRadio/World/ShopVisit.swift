import Primitives

/// One person's way through the place.
struct ShopVisit: Sendable {
    /// A place, and when one is there; between two of them one walks in a straight line, or waits.
    struct Waypoint: Sendable {
        let time: Instant
        let place: Point
        /// The way until here.
        let metres: Double
    }

    /// Where a person is at a moment, and how far the person has walked.
    struct Position: Sendable {
        let place: Point
        let metres: Double
    }

    /// The number of the person, unlike anybody else's.
    let entity: UInt64
    let minor: UInt16
    /// In the order of time; never empty.
    private(set) var waypoints: [Waypoint]
    let speed: Double
    /// `nil` for a person who is in no queue.
    var stay: QueueStay?

    init(entity: UInt64, minor: UInt16, speed: Double, start: Instant, at place: Point) {
        self.entity = entity
        self.minor = minor
        self.speed = speed
        waypoints = [Waypoint(time: start, place: place, metres: 0)]
    }

    var start: Instant { waypoints[0].time }
    var end: Instant { waypoints[waypoints.count - 1].time }

    /// Goes straight to `place`.
    mutating func walk(to place: Point) {
        guard let here = waypoints.last else { return }
        let metres = here.place.distance(to: place)
        waypoints.append(
            Waypoint(
                time: here.time + Duration(truncatingSeconds: metres / speed), place: place,
                metres: here.metres + metres))
    }

    /// Stays where one is for so long, if that is any time.
    mutating func wait(seconds: Double) { wait(until: end + Duration(truncatingSeconds: seconds)) }

    /// Stays where one is until `time`, which may be over.
    mutating func wait(until time: Instant) {
        guard let here = waypoints.last, time > here.time else { return }
        waypoints.append(Waypoint(time: time, place: here.place, metres: here.metres))
    }

    /// Where the person is at `time`; at the ends of the way outside of it.
    func place(at time: Instant) -> Point { position(at: time).place }

    func position(at time: Instant) -> Position {
        var low = 0
        var high = waypoints.count - 1
        // The last knot that is not after `time`.
        while low < high {
            let middle = (low + high + 1) / 2
            if waypoints[middle].time <= time { low = middle } else { high = middle - 1 }
        }
        let before = waypoints[low]
        guard time > before.time, low + 1 < waypoints.count else {
            return Position(place: before.place, metres: before.metres)
        }
        let after = waypoints[low + 1]
        let share =
            Double(time.microseconds(since: before.time))
            / Double(max(1, after.time.microseconds(since: before.time)))
        return Position(
            place: before.place.between(after.place, share),
            metres: before.metres + (after.metres - before.metres) * share)
    }
}
