import Primitives

/// The visits to a place: arrivals, and the course of the queues. They depend on the seed and the
/// wall clock alone.
///
/// Arrivals are drawn minute by minute and need no history. A queue does. The visits of an hour
/// therefore come from a run that begins two hours earlier with empty queues. The run includes
/// the arrivals of the following hour, which may overtake others on their way. Every process
/// computes the same run.
///
/// Two runs agree as soon as the queue was empty in both at the same time. A till that keeps up has
/// such a time within two hours. At an overloaded till, two people may share one place for some
/// minutes after the full hour, in every process alike.
struct VisitorSchedule: Sendable {
    /// The stretch whose visits are made in one run.
    static let hour: Duration = .seconds(3600)
    static let minute: Duration = .seconds(60)
    static let minutesInHour: Int64 = 60

    private let random: SeededRandom
    private let people: Scenario.People

    init(_ random: SeededRandom, _ people: Scenario.People) {
        self.random = random
        self.people = people
    }

    /// All who come through the door in hour number `number` of the timeline; none stays longer than an hour.
    func visits(inHour number: Int64) -> [ShopVisit] {
        let first = number * Self.minutesInHour
        let run = (first - 2 * Self.minutesInHour)..<(first + 2 * Self.minutesInHour)
        var coming = run.flatMap { arrivals(inMinute: $0) }
        coming.sort { ($0.end, $0.entity) < ($1.end, $1.entity) }
        var lines = people.queues.indices.map { WaitingLine(random, people, queue: $0) }
        for index in coming.indices {
            lines[queue(of: coming[index].entity)].admit(&coming[index])
        }
        return coming.filter { $0.start.stretch(of: Self.hour) == number }
    }

    /// Those who come in a minute, on their way to the queue's entry.
    private func arrivals(inMinute minute: Int64) -> [ShopVisit] {
        let count = random.poisson(
            mean: people.peakPerMinute, limit: people.limitPerMinute, .arrivals, 0, minute)
        return (0..<count).compactMap { index in
            let entity = Entity.visitor(minute: minute, index: index)
            let start =
                Instant(stretch: minute, of: Self.minute)
                + Self.minute.share(random.unit(.arrivalMoment, entity))
            // The peak's arrivals, thinned to those of this time.
            guard people.isArrival(random.unit(.arrivalThinning, entity), at: start) else {
                return nil
            }
            let speed = max(0.1, random.uniform(people.speed, .speed, entity))
            var visit = ShopVisit(
                entity: entity, minor: minor(minute, index), speed: speed, start: start,
                at: people.door)
            for (number, stop) in people.stops.enumerated() {
                visit.walk(to: stop)
                let seconds = random.uniform(
                    people.stopSeconds, .browsing, entity, Int64(number))
                visit.wait(seconds: seconds)
            }
            visit.walk(to: people.queues[queue(of: entity)].entry)
            return visit
        }
    }

    /// The queue of a visitor, by the queues' shares.
    private func queue(of entity: UInt64) -> Int {
        SeededRandom.choice(
            random.unit(.queueChoice, entity), among: people.queues.map(\.share))
    }

    /// Beacons are handed out in turn, so that no two people in the place have the same.
    private func minor(_ minute: Int64, _ index: Int) -> UInt16 {
        people.firstMinor
            &+ Entity.turn(
                minute * Int64(people.limitPerMinute) + Int64(index), of: people.minors)
    }
}

extension Scenario.People {
    /// The most arrivals per minute, on average.
    var peakPerMinute: Double { perMinute * (arrivals?.highest ?? 1) }

    /// More than these never come in one minute: five standard deviations above the mean.
    var limitPerMinute: Int { Self.limitPerMinute(peakPerMinute) }

    static func limitPerMinute(_ mean: Double) -> Int { Int(mean + 5 * mean.squareRoot()) + 3 }

    /// Whether a person of the peak also comes at `time`; `draw` is from 0 to 1.
    func isArrival(_ draw: Double, at time: Instant) -> Bool {
        guard let arrivals else { return true }
        return draw * arrivals.highest < arrivals.factor(at: time)
    }

    /// The longest that anybody, or the tag, can stay, in seconds.
    var longestStay: Double {
        let longest = queues.map(longestStay(in:)).max() ?? 0
        return longest + Double(stops.count) * stopSeconds.upperBound
            + (tags.staysOnPercent > 0 ? tags.staysOnSeconds.upperBound : 0)
    }

    private func longestStay(in queue: Scenario.Queue) -> Double {
        let tills = queue.tills.map(\.place)
        let farthest = tills.max {
            queue.entry.distance(to: $0) < queue.entry.distance(to: $1)
        }
        let places = [door] + stops + [queue.entry, farthest ?? queue.entry, exit]
        var metres = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        // Once to the end of the line and back.
        metres += 2 * Double(queue.maxLength) * queue.spacing
        let steps = Double(queue.maxLength) * queue.spacing / max(0.1, speed.lowerBound)
        return metres / max(0.1, speed.lowerBound)
            + Double(queue.maxLength + 1) * queue.serviceSeconds.upperBound + steps
    }
}

/// A visitor's time in a queue: the truth that an estimator looks for.
struct QueueStay: Equatable, Sendable {
    enum Outcome: String, Sendable {
        case served
        case gaveUp
        /// The line was too long, so the visitor never joined it.
        case turnedAway
    }

    /// The queue's index in the scenario.
    let queue: Int
    let outcome: Outcome
    /// When the visitor reached the queue's entry.
    let joined: Instant
    /// When the visitor left the line for the till, or for the exit.
    let called: Instant
    /// When the visitor left the till, or the line.
    let left: Instant
    /// The till's index in the queue; `nil` without service.
    let till: Int?
}
