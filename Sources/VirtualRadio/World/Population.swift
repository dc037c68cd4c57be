import Beacons
import Primitives

/// The people of a scenario, hour by hour.
struct Population: Sendable {
    private let scenario: Scenario
    private let random: SeededRandom
    /// Those whose way begins in the hours that were last asked for.
    private var hours: [Int64: [Person]] = [:]

    init(_ scenario: Scenario, _ random: SeededRandom) {
        self.scenario = scenario
        self.random = random
    }

    /// Calls `body` with each person whose way begins in an hour that reaches to `start..<end`; one may be gone, or not
    /// have come yet.
    mutating func forEach(from start: Instant, to end: Instant, _ body: (Person) -> Void) {
        guard start < end, scenario.people != nil || !scenario.staff.isEmpty else { return }
        // A visit, and the time of a tag after it, lasts an hour at most: a person came in this hour or in the one
        // before.
        let last = end.advanced(byMicroseconds: -1).stretch(of: VisitorSchedule.hour)
        let range = (start.stretch(of: VisitorSchedule.hour) - 1)...last
        hours = hours.filter { range.contains($0.key) }
        for hour in range {
            let people = hours[hour] ?? people(inHour: hour)
            hours[hour] = people
            for person in people { body(person) }
        }
    }

    private func people(inHour hour: Int64) -> [Person] {
        var all = StaffSchedule(random, scenario.staff).visits(inHour: hour).map { visit, major in
            Person(role: .staff, visit: visit, tags: [tag(of: visit, major)])
        }
        guard let people = scenario.people else { return all }
        all += VisitorSchedule(random, people).visits(inHour: hour).map { visit in
            Person(role: .visitor, visit: visit, tags: tags(of: visit, people))
        }
        if let passersBy = people.passersBy, let schedule = PasserBySchedule(random, people) {
            all += schedule.visits(inHour: hour).map { visit in
                Person(role: .passerBy, visit: visit, tags: [tag(of: visit, passersBy.major)])
            }
        }
        return all
    }

    /// The tag of a person who has one, for as long as the person is there.
    private func tag(
        of visit: ShopVisit, _ major: UInt16, minor: UInt16? = nil,
        during span: Range<Instant>? = nil
    ) -> SimulatedBeacon {
        let identity = BeaconIdentity(
            uuid: scenario.uuid, major: major, minor: minor ?? visit.minor)
        return SimulatedBeacon(
            random, scenario, beacon: identity, entity: visit.entity, location: .visiting(visit),
            span: span ?? visit.start..<visit.end)
    }

    private enum Draw: Int64 {
        case hasTag, isPhone, fails, failure, staysOn, staySeconds
    }

    private func draw(_ visit: ShopVisit, _ draw: Draw) -> Double {
        random.unit(.tag, visit.entity, draw.rawValue)
    }

    private func tags(of visit: ShopVisit, _ people: Scenario.People) -> [SimulatedBeacon] {
        let tags = people.tags
        guard draw(visit, .hasTag) * 100 < tags.percent else { return [] }
        if draw(visit, .isPhone) * 100 < tags.phonePercent { return phone(of: visit, tags) }
        var end = visit.end
        if draw(visit, .fails) * 100 < tags.failsPercent {
            end = visit.start + (visit.end - visit.start).share(draw(visit, .failure))
        } else if draw(visit, .staysOn) * 100 < tags.staysOnPercent {
            let range = tags.staysOnSeconds
            let share = draw(visit, .staySeconds)
            let seconds = range.lowerBound + (range.upperBound - range.lowerBound) * share
            end = end + Duration(truncatingSeconds: seconds)
        }
        return [tag(of: visit, people.major, during: visit.start..<end)]
    }

    /// One identity after the other.
    private func phone(of visit: ShopVisit, _ tags: Scenario.Tags) -> [SimulatedBeacon] {
        let life = Duration(truncatingSeconds: tags.phoneSeconds)
        // Not all phones change at the same moment.
        let shift = random.part(of: life, .phone, visit.entity)
        let turns = (visit.start + shift).stretch(of: life)...(visit.end + shift).stretch(of: life)
        return turns.compactMap { turn in
            let start = max(visit.start, Instant(stretch: turn, of: life) - shift)
            let end = min(visit.end, Instant(stretch: turn + 1, of: life) - shift)
            guard start < end else { return nil }
            let minor = UInt16(truncatingIfNeeded: random.word(.phone, visit.entity, turn))
            return tag(of: visit, tags.phoneMajor, minor: minor, during: start..<end)
        }
    }
}
