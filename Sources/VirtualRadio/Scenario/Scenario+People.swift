extension Scenario {
    /// Visitors: in at the door, past the stops, through a queue, out at the exit.
    package struct People: Equatable, Sendable {
        package var major: UInt16
        package var firstMinor: UInt16 = 0
        /// How many beacons there are to hand out; they are used again, in turn.
        package var minors: Int = 20_000
        /// Arrivals per minute, on average (Poisson).
        package var perMinute: Double
        /// Factors of `perMinute` over time.
        package var arrivals: Cycle?
        /// Walking speed, metres per second, evenly distributed.
        package var speed: ClosedRange<Double> = 0.7...1.4
        package var door: Point
        /// Where everybody walks past before the queue.
        package var stops: [Point] = []
        /// How long a person stays at each stop, in seconds, uniformly distributed.
        package var stopSeconds: ClosedRange<Double> = 0...0
        /// One at least. Each visitor joins one of them.
        package var queues: [Queue]
        package var exit: Point
        package var tags = Tags()
        package var passersBy: PassersBy?
    }

    /// A line in front of its tills, first come, first served.
    package struct Queue: Equatable, Sendable {
        /// Its name in the truth.
        package var id = "checkout"
        /// Where one joins it, or sees that it is too long.
        package var entry: Point
        /// Where one is served. The first till is always open.
        package var tills: [Till]
        /// From one person in line to the next.
        package var spacing = 0.8
        /// Evenly distributed.
        package var serviceSeconds: ClosedRange<Double>
        /// A visitor who finds as many people before them goes away again.
        package var maxLength = 30
        /// The queue's weight in the visitors' choice.
        package var share = 1.0
        /// How many of the visitors lose their patience, in percent.
        package var giveUpPercent = 0.0
        /// How long these wait, uniformly distributed.
        package var patienceSeconds: ClosedRange<Double> = 60...300
    }

    /// A till. `open` is 0 while it takes no more people.
    package struct Till: Equatable, Sendable {
        package var place: Point
        package var open: Cycle?
    }

    /// The visitors' beacons.
    package struct Tags: Equatable, Sendable {
        /// The share of the visitors who carry one.
        package var percent = 100.0
        /// Of these, the share whose tag goes silent at some moment of the visit.
        package var failsPercent = 0.0
        /// The share whose tag stays at the exit, and sends for `staysOnSeconds` more.
        package var staysOnPercent = 0.0
        package var staysOnSeconds: ClosedRange<Double> = 60...600
        /// The share who carry a phone instead, which changes its identity.
        package var phonePercent = 0.0
        package var phoneMajor: UInt16 = 0
        /// How long a phone keeps an identity.
        package var phoneSeconds = 900.0

        package init() {}
    }

    /// People with beacons who walk past, without a queue.
    package struct PassersBy: Equatable, Sendable {
        package var major: UInt16
        package var firstMinor: UInt16 = 0
        package var minors: Int = 20_000
        /// How many there are for each visitor.
        package var perVisitor: Double
        /// Each passer-by takes one of them, in either direction.
        package var paths: [Path]
        /// How long those stay who stop on their way, uniformly distributed.
        package var stopSeconds: ClosedRange<Double> = 5...60
    }

    /// A straight way.
    package struct Path: Equatable, Sendable {
        package var from: Point
        package var to: Point
        package var width = 0.0
        /// Its weight in the passers-by's choice.
        package var share = 1.0
        /// How many of them stop once on this way, in percent.
        package var stopPercent = 0.0
    }

    /// People with beacons who are there all day, and walk from post to post.
    package struct Staff: Equatable, Sendable {
        package var major: UInt16
        package var firstMinor: UInt16
        package var count = 1
        /// The next post is any of these; one that is listed twice is chosen twice as often.
        package var posts: [Point]
        package var stopSeconds: ClosedRange<Double> = 5...120
    }
}
