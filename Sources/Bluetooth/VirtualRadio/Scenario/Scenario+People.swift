extension Scenario {
    /// People, each with a beacon: in at the door, past the stops, through the queue, out at the exit.
    package struct People: Equatable, Sendable {
        package var major: UInt16
        package var firstMinor: UInt16 = 0
        /// How many beacons there are to hand out; they are used again, in turn.
        package var minors: Int = 20_000
        /// Arrivals per minute, on average (Poisson).
        package var perMinute: Double
        /// Walking speed, metres per second, evenly distributed.
        package var speed: ClosedRange<Double> = 0.7...1.4
        package var door: Point
        /// Where everybody walks past before the queue.
        package var stops: [Point] = []
        /// How long a person stays at each stop, in seconds, uniformly distributed.
        package var stopSeconds: ClosedRange<Double> = 0...0
        package var queue: Queue
        package var exit: Point

        package init(
            major: UInt16, perMinute: Double, door: Point, queue: Queue, exit: Point
        ) {
            self.major = major
            self.perMinute = perMinute
            self.door = door
            self.queue = queue
            self.exit = exit
        }
    }

    /// A line with one till, first come, first served.
    package struct Queue: Equatable, Sendable {
        /// Where one joins it, or sees that it is too long.
        package var entry: Point
        /// Where one is served.
        package var till: Point
        /// From one person in line to the next.
        package var spacing = 0.8
        /// Evenly distributed.
        package var serviceSeconds: ClosedRange<Double>
        /// Who finds as many before them goes away again.
        package var maxLength = 30

        package init(entry: Point, till: Point, serviceSeconds: ClosedRange<Double>) {
            self.entry = entry
            self.till = till
            self.serviceSeconds = serviceSeconds
        }
    }
}
