import Facts
import Primitives
import Sightings
import Testing

@testable import Queueing

@Suite("the queue at present")
struct PresentQueueTests {
    @Test("behind a hole, the visits are known, but not final; when it is filled, they are final")
    func provisionalVisits() throws {
        let walks = (0..<5).map { (index: Int64) in
            Scene.Walk(tag: UInt64(index + 1), joined: 60 + index * 100, left: 150 + index * 100)
        }
        // Windows of a silent gateway may come within the hour.
        let isMissing = { (message: Scene.Message) in
            message.gateway == "till" && message.window.span.lowerBound == Scene.second(200).start
        }
        let messages = Scene.messages(walks, seconds: 0..<900, seed: 7)
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        for message in messages where !isMissing(message) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        let early = estimator.advance().visits
        estimator.advance(through: Scene.second(900))
        let provisional = estimator.provisionalVisits
        #expect(early.count + provisional.count == walks.count)
        #expect(provisional.count >= 3)
        for message in messages where isMissing(message) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        // The decoder has the rest when the day ends.
        let all = early + estimator.advance().visits + estimator.finish().visits
        #expect(all.count == walks.count)
        #expect(estimator.provisionalVisits.isEmpty)
    }

    @Test("the trend counts people: tags divided by the share of people with a beacon")
    func trend() throws {
        let messages = Scene.messages(
            [Scene.Walk(tag: 1, joined: 100, left: 300)], seconds: 0..<420, seed: 3)
        let trends = try ["", #","coverage":{"percent":25}"#].map { coverage in
            var estimator = QueueEstimator(try Scene.layout(more: coverage), learning: .zero)
            for message in messages { _ = estimator.take(message.window, from: message.gateway) }
            estimator.advance(through: Scene.second(420))
            return estimator.now[0].trend.map { $0.length ?? 0 }
        }
        #expect(trends[0].contains(1))
        #expect(trends[1] == trends[0].map { $0 * 4 })
    }

    @Test("a strip of a past time: hearing, deaf, lost, and seconds of which nothing is known")
    func pastStrip() {
        let windows = (0..<10).map { second in
            Scene.window(
                second, state: second == 5 ? .deaf : .hearing,
                powers: second == 3 ? [(tag: 1, power: -60)] : [])
        }
        var past = PastStrip(gateway: "till", from: Scene.second(-2))
        for (second, window) in windows.enumerated() {
            past.take(window)
            // The window may be followed by others that start in the same second.
            past.advance(to: Scene.second(Int64(second)))
        }
        past.advance(to: Scene.second(12))
        let runs = past.strip.runs.map {
            "\(Scene.start.distance(to: $0.seconds.lowerBound)) \($0.state)"
        }
        #expect(
            runs == [
                "-2 unknown", "0 empty", "3 heard", "4 empty", "5 deaf", "6 empty", "10 unknown",
            ])
    }

    @Test("the throughput counts those who left in the time by which it divides")
    func throughput() throws {
        // One person a minute leaves, ten seconds before the minute ends.
        let walks = (0..<45).map { (index: Int64) in
            let left = 170 + index * 60
            return Scene.Walk(tag: UInt64(index + 1), joined: left - 90, left: left)
        }
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        for message in Scene.messages(walks, seconds: 0..<2720, seed: 7) {
            _ = estimator.take(message.window, from: message.gateway)
            let present = UnixSecond(containing: message.window.span.upperBound)
            guard message.gateway == "till", present >= Scene.second(2600) else { continue }
            estimator.advance(through: present)
            let perHour = try #require(estimator.now[0].line?.perHour?.perHour)
            #expect((57...61).contains(perHour), "\(present): \(perHour)")
        }
    }
}
