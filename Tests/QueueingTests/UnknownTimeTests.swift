import Facts
import JSON
import Primitives
import Sightings
import Testing

@testable import Queueing

@Suite("times of which nothing is known")
struct UnknownTimeTests {
    @Test("a deaf till makes minutes unknown, and never says 0", arguments: [RadioState.deaf, nil])
    func deaf(state: RadioState?) throws {
        let silent: Range<Int64> = 240..<480
        let messages = Scene.messages(Scene.twelve, seconds: 0..<1200, seed: 7) { gateway, second in
            gateway == "till" && silent.contains(second) ? state : .hearing
        }
        let periods = try Scene.results(messages).periods
        let inside = periods.filter {
            $0.seconds.lowerBound >= Scene.second(240) && $0.seconds.upperBound <= Scene.second(480)
        }
        #expect(inside.count == 4)
        for period in inside {
            #expect(period.state == .unknown)
            #expect(period.known == .zero)
            let json = period.json(site: "s", rev: 1, isFinal: true)
            for key in ["length", "joined", "served", "abandoned", "waits", "forecast"] {
                #expect(json[key] == .null, "\(key)")
            }
            let reason: GatewaySecond.State = state == .deaf ? .deaf : .unknown
            #expect(
                json["reasons"] == [
                    ["gateway": "till", "state": .string(reason.rawValue), "ms": 60_000]
                ])
        }
        #expect(periods[10].state == .ok)
        #expect(periods.allSatisfy { $0.littleResidual == .zero })
    }

    @Test("those who are in line at the beginning make it uncertain, and an empty line is certain")
    func beginning() throws {
        let walks = [Scene.Walk(tag: 1, joined: -60, left: 100)]
        func now(_ walks: [Scene.Walk], at second: Int64) throws -> QueueNow {
            var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
            for message in Scene.messages(walks, seconds: 0..<second, seed: 7) {
                _ = estimator.take(message.window, from: message.gateway)
            }
            estimator.advance(through: Scene.second(second))
            return estimator.now[0]
        }
        for second in stride(from: 5, to: 95, by: 5) as StrideTo<Int64> {
            #expect(try now(walks, at: second).line?.tags != 0, "\(second)")
        }
        #expect(try now(walks, at: 240).line?.tags == 0)
        #expect(try now([], at: 5).line?.tags == 0)
    }

    @Test("who is in line when the messages end has neither been served nor given up")
    func end() throws {
        let walks = [
            Scene.Walk(tag: 1, joined: 60, left: 150), Scene.Walk(tag: 2, joined: 200, left: 900),
        ]
        let visits = try Scene.results(Scene.messages(walks, seconds: 0..<400, seed: 7)).visits
        #expect(visits.map(\.end) == [.served, .unknown])
        #expect(abs(visits[1].wait.wholeSeconds - 200) < 10)
        // A silence of ten minutes is no end of a visit either.
        let silent = Scene.messages(walks, seconds: 0..<1300, seed: 7) { _, second in
            (400..<1100).contains(second) ? nil : .hearing
        }
        let cut = try #require(try Scene.results(silent).visits.first { $0.end != .served })
        #expect(cut.end == .unknown)
        #expect(cut.left.second == Scene.second(400))
        #expect(cut.left.latest >= Scene.second(1000))
    }

    @Test("a loss of months is lost time for two days, then a gap; the person in line has no end")
    func lostMonths() throws {
        let walks = [Scene.Walk(tag: 1, joined: 60, left: 900)]
        let end: Int64 = 90 * 86_400
        let before = Scene.messages(walks, seconds: 0..<300, seed: 7)
        let after = ["entry", "till"].map { gateway -> Scene.Message in
            let (first, last) = (UInt64(300), UInt64(end) - 1)
            let loss = Loss(
                batches: last - first + 1, fromSeq: first, toSeq: last, reason: .outboxFull)
            return Scene.Message(
                gateway: gateway, window: Scene.window(end, session: gateway, lost: loss))
        }
        let results = try Scene.results(before + after)
        #expect(results.visits.map(\.end) == [.unknown])
        // Five minutes, two days, and the minute of the last message.
        #expect(results.periods.count == 5 + 2880 + 1)
        #expect(results.periods[1000].gateways.allSatisfy { $0.reasons.map(\.state) == [.lost] })
    }

    @Test("a gateway learns its close level before the queue is known")
    func learning() throws {
        var estimator = QueueEstimator(try Scene.layout(), learning: .seconds(300))
        for message in Scene.messages(Scene.twelve, seconds: 0..<1200, seed: 7) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        let periods = estimator.finish().periods
        // The first tag comes in the first minute, and five minutes follow.
        #expect(periods[2].state == .unknown)
        #expect(periods[2].gateways.allSatisfy { $0.reasons.map(\.state) == [.learning] })
        #expect(periods[10].state == .ok)
    }

    @Test("a visit around a deaf time has intervals instead of dates")
    func intervals() throws {
        let walk = Scene.Walk(tag: 1, joined: 100, left: 250)
        let messages = Scene.messages([walk], seconds: 0..<600, seed: 3) { gateway, second in
            gateway == "till" && (245..<262).contains(second) ? .deaf : .hearing
        }
        let results = try Scene.results(messages)
        let visit = try #require(results.visits.first)
        #expect(!visit.isExact)
        // Its person was served; the wait is not known.
        #expect(results.periods.reduce(0) { $0 + $1.line.served } == 1)
        #expect(results.periods.allSatisfy { $0.line.waits.count == 0 })
        #expect(visit.left.earliest <= Scene.second(250))
        #expect(visit.left.latest >= Scene.second(250))
    }

    @Test(
        "the interval of an edge beside a long deaf time ends with it",
        arguments: [(102 as Int64, \Visit.entered), (103, \.entered), (247, \.left), (252, \.left)])
    func longIntervals(deaf: Int64, edge: KeyPath<Visit, EdgeDate> & Sendable) throws {
        let walk = Scene.Walk(tag: 1, joined: 100, left: 250)
        let messages = Scene.messages([walk], seconds: 0..<600, seed: 3) { _, second in
            (deaf..<deaf + 90).contains(second) ? .deaf : .hearing
        }
        let visit = try #require(try Scene.results(messages).visits.first)
        #expect(visit[keyPath: edge].latest == Scene.second(deaf + 90), "\(visit)")
    }

    @Test("the interval of a leaving grows with a deaf time, also after the tag has gone")
    func longIntervalOfOneThatHasGone() throws {
        let walk = Scene.Walk(tag: 1, joined: 100, left: 250)
        // The till hears for a minute that the tag has gone. Its stay is over, and the entry is deaf still.
        let messages = Scene.messages([walk], seconds: 0..<900, seed: 3) { gateway, second in
            gateway == "entry" && (252..<552).contains(second) ? .deaf : .hearing
        }
        let visit = try #require(try Scene.results(messages).visits.first)
        #expect(visit.left.latest == Scene.second(552), "\(visit)")
    }
}
