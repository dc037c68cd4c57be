import JSON
import Testing

@testable import Facts
@testable import Queueing

@Suite("what a day has learnt")
struct LearntLevelsTests {
    private static let walks = (0..<12).map { (index: Int64) in
        Scene.Walk(tag: UInt64(index + 1), joined: 60 + index * 61, left: 160 + index * 61)
    }

    /// A day's results and the levels that it has learnt.
    private static func day(
        _ levels: LearntLevels
    ) throws -> (results: [QueueEstimator.Result], levels: LearntLevels) {
        var estimator = QueueEstimator(try Scene.layout(), levels: levels)
        for message in Scene.messages(walks, seconds: 0..<1500, seed: 7) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        return (estimator.finish(), estimator.learntLevels)
    }

    @Test("a gateway with a carried level does not learn again")
    func carried() throws {
        let first = try Self.day(LearntLevels())
        #expect(first.results.periods[5].state == .unknown)
        let second = try Self.day(first.levels)
        #expect(second.results.periods[5].state == .ok)
        #expect(second.results.visits.count == Self.walks.count)
    }

    @Test("levels that were stored as JSON give the same results")
    func stored() throws {
        let levels = try Self.day(LearntLevels()).levels
        let text = Array(levels.json.text.utf8)
        let read = try LearntLevels(JSON(parsing: text, maxBytes: 1_000_000))
        #expect(read == levels)
        #expect(try Self.day(read).results == Self.day(levels).results)
    }

    @Test(
        "the share of recognised visits follows from the order of the line, and passes to the next day"
    )
    func recognition() throws {
        let visit = { (logOdds: Double) in
            Visit(
                queue: "q", tag: Facts.Tag(rawValue: 1), entered: EdgeDate(0), left: EdgeDate(100),
                end: .served,
                logOdds: logOdds)
        }
        var recognition = Recognition()
        #expect(recognition.recall == 0.95)
        // Of nineteen, thirteen are certain, and four of ten others are visits too.
        for number in 0..<3000 { recognition.add(visit(number % 19 < 13 ? 9 : -0.4055)) }
        #expect(abs(recognition.recall - 13 / 15.4) < 0.02)
        var levels = LearntLevels()
        levels[queue: "q"] = LearntLevels.Queue(recognition: recognition)
        #expect(try LearntLevels(levels.json) == levels)
        let next = QueueEstimator(try Scene.layout(), levels: levels)
        #expect(next.learntLevels[queue: "q"]?.recognition == recognition)
    }

    @Test("people who only pass a closed till do not add up to missed visits")
    func closedTill() throws {
        func passing(_ logOdds: Double) -> Visit {
            Visit(
                queue: "q", tag: Facts.Tag(rawValue: 1), entered: EdgeDate(0), left: EdgeDate(100),
                end: .served, logOdds: logOdds)
        }
        var recognition = Recognition()
        // Of these, two in a hundred are visits.
        for _ in 0..<100_000 { recognition.add(passing(-3.9)) }
        #expect(recognition.recall == 0.95)
        // One in ten: the share has a bound, and what is stored can be read.
        for _ in 0..<100_000 { recognition.add(passing(-2.2)) }
        #expect(recognition.recall == 0.45)
        var levels = LearntLevels()
        levels[queue: "q"] = LearntLevels.Queue(recognition: recognition)
        #expect(try LearntLevels(levels.json) == levels)
    }

    @Test("what the line has shown of its tills passes to the next day")
    func tills() throws {
        var levels = LearntLevels()
        // Two tills beside the one with a gateway.
        levels[queue: "q"] = LearntLevels.Queue(
            overtaken: [40, 20, 20, 1, 0, 0, 0, 0, 0], tills: 1)
        let read = try LearntLevels(levels.json)
        #expect(read == levels)
        let next = QueueEstimator(try Scene.layout(), levels: read)
        #expect(next.learntLevels[queue: "q"] == levels[queue: "q"])
        // Another number of tills begins anew.
        var two = try Scene.layout()
        two.queues[0].till.append("till-2")
        #expect(
            QueueEstimator(two, levels: read).learntLevels[queue: "q"]?.overtaken
                == ParallelTills.none
        )
        #expect(ParallelTills(gateways: 1, counts: [40, 20, 20, 1, 0, 0, 0, 0, 0]).number == 3)
        // A year of stays is no number without end.
        var tills = ParallelTills(gateways: 1)
        for stay in 0..<10_000 { tills.add(stay % 3) }
        #expect(tills.counts.reduce(0, +) <= ParallelTills.manyStays)
        #expect(tills.number == 3)
    }

    @Test(
        "damaged levels have their faults named",
        arguments: [
            "{}", "[]", #"{"v":1,"gateways":[{"gateway":"a"}]}"#,
            #"{"v":1,"gateways":[{"gateway":"a","learningSeconds":0,"days":[{"day":1,"bins":[[200,1]]}]}]}"#,
        ])
    func damaged(text: String) throws {
        let json = try JSON(parsing: Array(text.utf8), maxBytes: 1000)
        do throws(Faults) {
            _ = try LearntLevels(json)
            Issue.record("\(text) was read")
        } catch {
            #expect(!error.list.isEmpty)
        }
    }
}
