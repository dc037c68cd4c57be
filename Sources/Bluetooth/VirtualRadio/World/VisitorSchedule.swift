/// The visits to a place: arrivals, and the course of the queue. They depend on the seed and the
/// wall clock alone.
///
/// Arrivals are drawn minute by minute and need no history. A queue does. The visits of an hour
/// therefore come from a run that begins two hours earlier with an empty queue. The run includes
/// the arrivals of the following hour, which may overtake others on their way. Every process
/// computes the same run.
///
/// Two runs agree as soon as the queue was empty in both at the same time. A till that keeps up has
/// such a time within two hours. At an overloaded till, two people may share one place for some
/// minutes after the full hour, in every process alike.
struct VisitorSchedule: Sendable {
    /// The stretch whose visits are made in one run, in microseconds.
    static let hour: Int64 = 3_600_000_000
    private static let minute: Int64 = 60_000_000
    private static let minutesInHour: Int64 = 60

    private let random: SeededRandom
    private let people: Scenario.People

    init(_ random: SeededRandom, _ people: Scenario.People) {
        self.random = random
        self.people = people
    }

    /// All who come through the door in hour number `number` of the timeline; none stays longer than an hour.
    func visits(inHour number: Int64) -> [Visit] {
        let first = number * Self.minutesInHour
        let run = (first - 2 * Self.minutesInHour)..<(first + 2 * Self.minutesInHour)
        var coming = run.flatMap { arrivals(inMinute: $0) }
        coming.sort { ($0.end, $0.entity) < ($1.end, $1.entity) }
        standInLine(&coming)
        let start = number * Self.hour
        return coming.filter { $0.start >= start && $0.start < start + Self.hour }
    }

    /// Those who come in a minute, on their way to the queue's entry.
    private func arrivals(inMinute minute: Int64) -> [Visit] {
        let count = random.poisson(
            mean: people.perMinute, limit: people.limitPerMinute, .arrivals, 0, minute)
        return (0..<count).map { index in
            let entity = Entity.visitor(minute: minute, index: index)
            let moment = Int64(random.unit(.arrivalMoment, entity) * Double(Self.minute))
            let start = Visit.Waypoint(time: minute * Self.minute + moment, place: people.door)
            let speed = max(0.1, random.uniform(people.speed, .speed, entity))
            var visit = Visit(
                entity: entity, minor: minor(minute, index), speed: speed, start: start)
            for (number, stop) in people.stops.enumerated() {
                visit.walk(to: stop)
                let seconds = random.uniform(
                    people.stopSeconds, .browsing, entity, Int64(number))
                visit.wait(until: visit.end + Int64(seconds * 1_000_000))
            }
            visit.walk(to: people.queue.entry)
            return visit
        }
    }

    /// Beacons are handed out in turn, so that no two people in the place have the same.
    private func minor(_ minute: Int64, _ index: Int) -> UInt16 {
        let turn = minute * Int64(people.limitPerMinute) + Int64(index)
        let count = Int64(max(1, people.minors))
        return people.firstMinor
            &+ UInt16(truncatingIfNeeded: turn - turn.flooredDivision(by: count) * count)
    }

    /// Takes everybody from the queue's entry, in the order in which they come there, through it and out.
    private func standInLine(_ visits: inout [Visit]) {
        let queue = people.queue
        /// When those in line have been served, in their order.
        var line: [Int64] = []
        for index in visits.indices {
            line.removeAll { $0 <= visits[index].end }
            guard line.count < queue.maxLength else {
                visits[index].walk(to: people.exit)
                continue
            }
            visits[index].walk(to: place(inLine: line.count))
            for (number, leaving) in line.enumerated() {
                visits[index].wait(until: leaving)
                visits[index].walk(to: place(inLine: line.count - number - 1))
            }
            let seconds = random.uniform(
                queue.serviceSeconds, .service, visits[index].entity)
            visits[index].wait(until: visits[index].end + Int64(seconds * 1_000_000))
            line.append(visits[index].end)
            visits[index].walk(to: people.exit)
        }
    }

    /// Where one stands with `count` people before oneself.
    private func place(inLine count: Int) -> Point {
        people.queue.till.towards(
            people.queue.entry, by: Double(count) * people.queue.spacing)
    }
}

extension Scenario.People {
    /// More than these never come in one minute: five standard deviations above the mean.
    var limitPerMinute: Int { Int(perMinute + 5 * perMinute.squareRoot()) + 3 }

    /// The longest that anybody can stay, in seconds.
    var longestStay: Double {
        let places = [door] + stops + [queue.entry, queue.till, exit]
        var metres = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        // Once to the end of the line and back.
        metres += 2 * Double(queue.maxLength) * queue.spacing
        let steps = Double(queue.maxLength) * queue.spacing / max(0.1, speed.lowerBound)
        return metres / max(0.1, speed.lowerBound)
            + Double(stops.count) * stopSeconds.upperBound
            + Double(queue.maxLength + 1) * queue.serviceSeconds.upperBound + steps
    }
}
