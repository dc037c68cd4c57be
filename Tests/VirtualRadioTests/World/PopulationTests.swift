import Beacons
import Primitives
import Testing

@testable import VirtualRadio

@Suite struct PopulationTests {
    private func visitors(
        _ set: (inout Scenario.Tags) -> Void, minors: Int = 20_000, hours: Int64 = 12
    ) throws -> [Person] {
        var scenario = try scenario("queue")
        var people = try #require(scenario.people)
        set(&people.tags)
        people.minors = minors
        scenario.people = people
        var population = Population(scenario, SeededRandom(seed: 11))
        var all: [Person] = []
        // Each call has the hour before as well.
        for hour in stride(from: Int64(490_000), to: 490_000 + hours, by: 2) {
            population.forEach(from: .seconds(hour * 3600), to: .seconds((hour + 1) * 3600)) {
                all.append($0)
            }
        }
        return all
    }

    @Test("a tag that fails is silent until the end of the visit") func failingTags() throws {
        let people = try visitors { $0.failsPercent = 30 }
        let failed = people.filter { person in
            person.tags.allSatisfy { $0.span.upperBound < person.visit.end }
        }
        // Of some 1700 people, four standard deviations are 4.5 %.
        #expect(abs(Double(failed.count) / Double(people.count) - 0.3) < 0.045)
        for person in failed {
            let tag = try #require(person.tags.first)
            #expect(tag.span.lowerBound == person.visit.start)
            #expect(tag.packets(from: tag.span.upperBound, to: person.visit.end).isEmpty)
        }
    }

    @Test("a tag that stays on sends at the exit for its time") func stayingTags() throws {
        let people = try visitors {
            $0.staysOnPercent = 100
            $0.staysOnSeconds = 120...300
        }
        for person in people {
            let tag = try #require(person.tags.first)
            let more = tag.span.upperBound - person.visit.end
            #expect((.seconds(120) ... .seconds(300)).contains(more))
            let packets = tag.packets(from: person.visit.end, to: tag.span.upperBound)
            // One packet in 105 ms.
            #expect(abs(Int64(packets.count) - more.microseconds / 105_000) < 4)
            #expect(tag.position(at: tag.span.upperBound).place == Point(x: 20, y: 0))
        }
    }

    @Test("a phone changes its identity every so often, without a gap") func phones() throws {
        let people = try visitors {
            $0.phonePercent = 100
            $0.phoneMajor = 77
            $0.phoneSeconds = 240
        }
        for person in people {
            #expect(person.tags.first?.span.lowerBound == person.visit.start)
            #expect(person.tags.last?.span.upperBound == person.visit.end)
            for (tag, next) in zip(person.tags, person.tags.dropFirst()) {
                #expect(tag.span.upperBound == next.span.lowerBound)
                #expect(tag.identity != next.identity)
            }
            #expect(person.tags.allSatisfy { $0.identity?.major == 77 })
            #expect(
                person.tags.dropFirst().dropLast().allSatisfy {
                    $0.span.upperBound - $0.span.lowerBound == .seconds(240)
                })
        }
    }

    @Test("a tag that several people carry in turn has one address, and one carrier at a time")
    func reuse() throws {
        let people = try visitors({ _ in }, minors: 1000)
        let groups = Dictionary(grouping: people) { $0.visit.minor }
        #expect(groups.values.contains { $0.count > 1 })
        for group in groups.values {
            let senders = Set(
                group.flatMap(\.tags).compactMap { tag -> DeviceAddress? in
                    guard case .beacon(_, let sender, _, _) = tag.content else { return nil }
                    return sender
                })
            #expect(senders.count == 1)
            let spans = group.flatMap(\.tags).map(\.span).sorted { $0.lowerBound < $1.lowerBound }
            #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
        }
    }
}
