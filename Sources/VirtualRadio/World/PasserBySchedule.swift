import Primitives

/// The people who walk past: a number for each visitor, each on one of the paths.
struct PasserBySchedule: Sendable {
    private let random: SeededRandom
    private let people: Scenario.People
    private let passersBy: Scenario.PassersBy

    /// `nil` without passers-by in the scenario.
    init?(_ random: SeededRandom, _ people: Scenario.People) {
        guard let passersBy = people.passersBy, !passersBy.paths.isEmpty else { return nil }
        self.random = random
        self.people = people
        self.passersBy = passersBy
    }

    /// Those who begin their way in hour number `number` of the timeline.
    func visits(inHour number: Int64) -> [Visit] {
        let first = number * VisitorSchedule.minutesInHour
        return (first..<first + VisitorSchedule.minutesInHour).flatMap { visits(inMinute: $0) }
    }

    private func visits(inMinute minute: Int64) -> [Visit] {
        let mean = people.peakPerMinute * passersBy.perVisitor
        let limit = Scenario.People.limitPerMinute(mean)
        let count = random.poisson(mean: mean, limit: limit, .passerBy, 0, minute)
        return (0..<count).compactMap { index in
            let entity = Entity.passerBy(minute: minute, index: index)
            let start =
                Instant(stretch: minute, of: VisitorSchedule.minute)
                + VisitorSchedule.minute.share(draw(entity, .moment))
            guard people.isArrival(draw(entity, .thinning), at: start) else { return nil }
            let turn = minute * Int64(limit) + Int64(index)
            let minor = passersBy.firstMinor &+ Entity.turn(turn, of: passersBy.minors)
            return visit(entity, minor: minor, start: start)
        }
    }

    private func visit(_ entity: UInt64, minor: UInt16, start: Instant) -> Visit {
        let path = passersBy.paths[
            SeededRandom.choice(draw(entity, .path), among: passersBy.paths.map(\.share))]
        let aside = (draw(entity, .aside) - 0.5) * path.width
        var (from, to) = path.shifted(by: aside)
        if draw(entity, .direction) < 0.5 { swap(&from, &to) }
        var visit = Visit(
            entity: entity, minor: minor,
            speed: max(0.1, random.uniform(people.speed, .speed, entity)), start: start, at: from)
        if draw(entity, .stop) * 100 < path.stopPercent {
            visit.walk(to: from.between(to, draw(entity, .stopPlace)))
            let range = passersBy.stopSeconds
            let seconds =
                range.lowerBound
                + (range.upperBound - range.lowerBound) * draw(entity, .stopSeconds)
            visit.wait(seconds: seconds)
        }
        visit.walk(to: to)
        return visit
    }

    private enum Draw: Int64 {
        case moment, thinning, path, aside, direction, stop, stopPlace, stopSeconds
    }

    private func draw(_ entity: UInt64, _ draw: Draw) -> Double {
        random.unit(.passerBy, entity, draw.rawValue)
    }
}

extension Scenario.Path {
    /// Both ends, `metres` aside.
    func shifted(by metres: Double) -> (Point, Point) {
        let length = max(0.001, from.distance(to: to))
        let x = -(to.y - from.y) / length * metres
        let y = (to.x - from.x) / length * metres
        return (Point(x: from.x + x, y: from.y + y), Point(x: to.x + x, y: to.y + y))
    }
}

extension Scenario.PassersBy {
    /// The longest time on a path, in seconds.
    func longestStay(_ speed: ClosedRange<Double>) -> Double {
        let metres = paths.map { $0.from.distance(to: $0.to) }.max() ?? 0
        return metres / max(0.1, speed.lowerBound) + stopSeconds.upperBound
    }
}
