import Primitives
import Testing

@testable import VirtualRadio

@Suite struct VisitsTests {
    private let hour = VisitorSchedule.hour

    @Test("visitors arrive at the rate, and each one leaves within an hour")
    func arrivalRate() throws {
        let scenario = try scenario("queue")
        let people = try #require(scenario.people)
        let visits = VisitorSchedule(SeededRandom(seed: scenario.seed), people)
        let day = (490_000..<490_024).flatMap { visits.visits(inHour: $0) }
        // 24 hours of 60 minutes of 2.4 each: 3456, give or take four standard deviations of 59.
        #expect(abs(day.count - 3456) < 236, "\(day.count)")
        #expect(day.allSatisfy { $0.end - $0.start < hour })
        #expect(people.longestStay < 3600)
        #expect(Set(day.map(\.entity)).count == day.count)
    }

    @Test("each visitor of two hours has its own minor")
    func uniqueMinors() throws {
        let scenario = try scenario("queue")
        let visits = VisitorSchedule(
            SeededRandom(seed: scenario.seed), try #require(scenario.people))
        let two = (490_000...490_001).flatMap { visits.visits(inHour: $0) }
        #expect(Set(two.map(\.minor)).count == two.count)
    }

    @Test("at most one visitor stands at the till") func oneAtTill()
        throws
    {
        let scenario = try scenario("queue")
        let people = try #require(scenario.people)
        let visits = VisitorSchedule(SeededRandom(seed: scenario.seed), people).visits(
            inHour: 490_000)
        // At most one person stands at the till at any time.
        let start = Instant(stretch: 490_000, of: hour)
        for time in Instant.steps(from: start, to: start + hour, by: .seconds(1)) {
            let line = visits.filter { visit in
                visit.start <= time && time < visit.end
                    && abs(visit.place(at: time).y - people.queues[0].tills[0].place.y) < 0.01
                    && (people.queues[0].entry.x...people.queues[0].tills[0].place.x).contains(
                        visit.place(at: time).x)
            }
            let atTill = line.filter { $0.place(at: time) == people.queues[0].tills[0].place }
            #expect(atTill.count <= 1, "at \(time)")
        }
    }

    @Test("a visitor walks at most 1.3 m/s") func walkingSpeed() throws {
        let scenario = try scenario("queue")
        let visits = VisitorSchedule(
            SeededRandom(seed: scenario.seed), try #require(scenario.people))
        for visit in visits.visits(inHour: 490_003) {
            for (before, after) in zip(visit.waypoints, visit.waypoints.dropFirst()) {
                #expect(after.time >= before.time)
                let metres = before.place.distance(to: after.place)
                let seconds = (after.time - before.time) / .seconds(1)
                #expect(metres <= 1.3 * seconds + 1e-5)
            }
        }
    }

    @Test("a visitor leaves if the queue is too long") func longQueue() throws {
        var people = try #require(try scenario("queue").people)
        people.queues[0].maxLength = 0
        let visits = VisitorSchedule(SeededRandom(seed: 3), people).visits(inHour: 490_000)
        #expect(!visits.isEmpty)
        #expect(
            visits.allSatisfy { visit in
                !visit.waypoints.contains { $0.place == people.queues[0].tills[0].place }
            })
    }

    @Test("the queue does not depend on the start of the run")
    func independentOfStart() throws {
        let scenario = try scenario("queue")
        let people = try #require(scenario.people)
        let visits = VisitorSchedule(SeededRandom(seed: scenario.seed), people)
        // The last person of an hour leaves the till before the first person of the next hour
        // arrives.
        var misfits = 0
        for number in Int64(490_000)..<490_024 {
            let before = visits.visits(inHour: number).compactMap { served($0, people) }
            let after = visits.visits(inHour: number + 1).compactMap { served($0, people) }
            let all = (before + after).sorted { $0.lowerBound < $1.lowerBound }
            misfits += zip(all, all.dropFirst()).count { $0.upperBound > $1.lowerBound }
        }
        #expect(misfits == 0)
    }

    /// The time that a person spends at the till.
    private func served(_ visit: ShopVisit, _ people: Scenario.People) -> Range<Instant>? {
        let times = visit.waypoints.filter { $0.place == people.queues[0].tills[0].place }.map(
            \.time)
        guard let first = times.first, let last = times.last else { return nil }
        return first..<last
    }
}
