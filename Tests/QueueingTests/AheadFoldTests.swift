import Primitives
import Testing

@testable import Facts
@testable import Queueing

@Suite("copies of the fold that run ahead")
struct AheadFoldTests {
    @Test("a message about a second of a long silence changes the live results")
    func longSilence() throws {
        let layout = try Scene.layout()
        var estimator = QueueEstimator(layout, learning: .zero)
        let take = { (estimator: inout QueueEstimator, seconds: Range<Int64>) in
            for second in seconds {
                for gateway in layout.gateways {
                    #expect(estimator.take(Scene.window(second), from: gateway) == .new)
                }
            }
        }
        take(&estimator, 0..<100)
        for second in 100..<1000 as Range<Int64> {
            estimator.advance(through: Scene.second(second))
        }
        // The present has passed these seconds together with others, since all gateways were silent for long.
        take(&estimator, 985..<1000)
        for second in 1000..<1003 as Range<Int64> {
            estimator.advance(through: Scene.second(second))
        }
        let heard = estimator.strips[0].runs.filter { $0.state == .empty }.map(\.seconds)
        #expect(heard.last == Scene.second(985)..<Scene.second(1000))
    }

    @Test("a message about a passed second changes the live results")
    func late() throws {
        let walk = Scene.Walk(tag: 1, joined: 100, left: 300)
        let messages = Scene.messages([walk], seconds: 0..<200, seed: 3)
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        for message in messages where message.gateway == "till" {
            _ = estimator.take(message.window, from: message.gateway)
        }
        estimator.advance(through: Scene.second(200))
        #expect(estimator.now[0].state == .unknown)
        for message in messages where message.gateway == "entry" {
            _ = estimator.take(message.window, from: message.gateway)
        }
        // Older messages are taken at a bounded pace.
        estimator.advance(through: Scene.second(231))
        #expect(estimator.now[0].trend.compactMap(\.length).count >= 3)
    }

    @Test("a backlog that ends a little behind the present makes the queue known at once")
    func backlogAhead() throws {
        let walks = [(1, 100, 300), (2, 590, 700)].map {
            (tag: UInt64, joined: Int64, left: Int64) in
            Scene.Walk(tag: tag, joined: joined, left: left)
        }
        let messages = Scene.messages(walks, seconds: 0..<605, seed: 3)
        // A copy that has passed the backlog by force would begin to learn with the second tag.
        var estimator = QueueEstimator(
            try Scene.layout(), allowedLateness: .seconds(60), learning: .seconds(200))
        let isEarly = { (message: Scene.Message) in
            message.window.span.upperBound <= Scene.second(30).start
        }
        for message in messages where isEarly(message) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        estimator.advance(through: Scene.second(600))
        #expect(estimator.now[0].state == .unknown)
        for message in messages where !isEarly(message) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        _ = estimator.advance()
        estimator.advance(through: Scene.second(601))
        #expect(estimator.now[0].state == .ok)
    }

    @Test("windows of a backlog are given up as they come")
    func backlog() {
        var timelines = [GatewayTimeline(), GatewayTimeline()]
        var released = ReleasedWindows()
        for second in 0..<600 as Range<Int64> {
            for index in timelines.indices { _ = timelines[index].take(Scene.window(second)) }
            guard second % 50 == 49 else { continue }
            // All of them are older than those that stay.
            released.release(before: Scene.second(10_000).start, of: &timelines)
            #expect(timelines.map(\.pendingBytes).reduce(0, +) < 2000)
        }
        #expect(released.starts == Scene.second(1).start..<Scene.second(10_000).start)
    }
}
