import Facts
import Foundation
import JSON
import Primitives
import Sightings
import Testing

@testable import Queueing

@Suite("the live results")
struct LiveTests {
    @Test("before the first message, a queue is unknown, and all its gateways are the reason")
    func beforeFirst() throws {
        var estimator = QueueEstimator(try Scene.layout())
        estimator.advance(through: Scene.start)
        let now = try #require(estimator.now.first)
        #expect(now.state == .unknown)
        #expect(now.line == nil)
        #expect(
            now.json(site: "s", rev: 1, isDurable: true)["reasons"] == [
                ["gateway": "entry", "state": "unknown", "since": .null, "until": .null],
                ["gateway": "till", "state": "unknown", "since": .null, "until": .null],
            ])
    }

    @Test("a gateway that dies makes the queue unknown within twenty seconds, and it recovers")
    func death() throws {
        let walks = [Scene.Walk(tag: 1, joined: 100, left: 400)]
        let messages = Scene.messages(walks, seconds: 0..<600, seed: 3) { gateway, second in
            gateway == "till" && (200..<260).contains(second) ? nil : .hearing
        }
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        var states: [Int64: QueueNow] = [:]
        for second in 0..<600 as Range<Int64> {
            for message in messages
            where message.window.span.lowerBound == Scene.second(second).start {
                _ = estimator.take(message.window, from: message.gateway)
            }
            estimator.advance(through: Scene.second(second + 1))
            states[second] = estimator.now[0]
        }
        #expect(states[150]?.state == .ok)
        #expect(states[150]?.line?.tags == 1)
        let dead = try #require(states[220])
        #expect(dead.state == .unknown)
        #expect(dead.line == nil)
        let begin = Scene.second(200)
        #expect(
            dead.reasons == [.init(gateway: "till", cause: .unknown, since: begin, until: nil)])
        // It hears again, and must do so for 30 s.
        let end = Scene.second(260)
        #expect(
            states[275]?.reasons == [
                .init(gateway: "till", cause: .unknown, since: begin, until: end)
            ])
        #expect(states[320]?.state == .ok)
        #expect(states[320]?.line?.tags == 1)
        #expect(states[590]?.line?.tags == 0)
        let strip = try #require(estimator.strips.first { $0.gateway == "till" })
        #expect(strip.runs.first?.state == .empty)
        #expect(strip.runs.contains { $0.state == .heard })
        #expect(
            strip.runs.first { $0.state == .unknown }?.seconds
                == Scene.second(200)..<Scene.second(260))
    }

    @Test("a gateway that is quiet for some seconds is no reason of another one's fault")
    func quiet() throws {
        let messages = Scene.messages(
            [Scene.Walk(tag: 1, joined: 100, left: 400)], seconds: 0..<300, seed: 3
        ) {
            gateway, second in
            switch gateway {
            case "entry" where second >= 150: .deaf
            case "till" where (200..<210).contains(second): nil
            default: .hearing
            }
        }
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        for second in 0..<230 as Range<Int64> {
            for message in messages
            where message.window.span.lowerBound == Scene.second(second).start {
                _ = estimator.take(message.window, from: message.gateway)
            }
            estimator.advance(through: Scene.second(second + 1))
            guard second >= 180 else { continue }
            let entry = QueueNow.Reason(
                gateway: "entry", cause: .deaf, since: Scene.second(150), until: nil)
            let till = QueueNow.Reason(
                gateway: "till", cause: .unknown, since: Scene.second(200), until: Scene.second(210)
            )
            #expect(
                estimator.now[0].reasons == (second < 211 ? [entry] : [entry, till]), "\(second)")
        }
    }

    @Test("behind a long time without any message, a tag that is near makes an empty line unknown")
    func unseenJoining() throws {
        // The person joins in the time without messages, and stays near.
        let walk = Scene.Walk(tag: 1, joined: 900, left: 1300)
        let messages = Scene.messages([walk], seconds: 0..<1100, seed: 3)
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        for second in 0..<1100 as Range<Int64> where !(100..<1000).contains(second) {
            for message in messages
            where message.window.span.lowerBound == Scene.second(second).start {
                _ = estimator.take(message.window, from: message.gateway)
            }
            estimator.advance(through: Scene.second(second + 1))
            guard second > 1000 else { continue }
            let queue = estimator.now[0]
            let says = queue.json(site: "s", rev: 1, isDurable: true)["length"]?["tags"]
            #expect(queue.state != .ok || says != 0, "\(second)")
        }
    }

    /// - Returns: the seconds in which the queue was not `ok`, with a passer-by at the entry for 20 s of each minute, and a till
    ///   that hears nothing: each window of ten seconds comes at its end.
    private static func emptyTill(until last: Int64) throws -> [Int64] {
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        var faults: [Int64] = []
        for second in 0..<1200 as Range<Int64> {
            let passer = second % 60 < 20 ? [(tag: UInt64(second / 60), power: -62.0)] : []
            let entry = Scene.window(second, powers: passer, session: "entry")
            _ = estimator.take(entry, from: "entry")
            if second % 10 == 9, second < last {
                let span = Scene.second(second - 9).start..<Scene.second(second + 1).start
                let number = UInt64(second / 10)
                let window = WindowFact(
                    session: "till", numbers: number...number, span: span, state: .hearing,
                    readings: [])
                _ = estimator.take(window, from: "till")
            }
            estimator.advance(through: Scene.second(second + 1))
            // At first, nobody knows who is in line.
            if second > 950, estimator.now[0].state != .ok { faults.append(second) }
        }
        return faults
    }

    @Test("while a message about merged empty windows may come, a passer-by hides nobody")
    func emptyTill() throws {
        #expect(try Self.emptyTill(until: .max) == [])
        // The last window ends with the second 1000.
        let silent = try Self.emptyTill(until: 1000)
        let first = try #require(silent.first)
        #expect((1015...1018).contains(first), "\(first)")
        #expect(silent == Array(first..<1200))
    }

    /// The queue after each second, of gateways whose windows come at the end of their seconds.
    ///
    /// - Parameters:
    ///   - arrivals: the second in which the till's window of a second arrives; `nil` for one that never does.
    ///   - offline: whether the broker reports the till as offline.
    private static func states(
        tillArrives arrivals: (Int64) -> Int64?, offline: (Int64) -> Bool
    ) throws -> [Int64: QueueNow] {
        let walks = [Scene.Walk(tag: 1, joined: 100, left: 400)]
        let deliveries = Scene.messages(walks, seconds: 0..<300, seed: 3)
            .compactMap { message -> Delivery? in
                let start = UnixSecond(containing: message.window.span.lowerBound)
                let second = Int64(Scene.start.distance(to: start))
                return (message.gateway == "till" ? arrivals(second) : second)
                    .map { Delivery(second: $0, message: message) }
            }
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        var states: [Int64: QueueNow] = [:]
        for second in 0..<300 as Range<Int64> {
            for delivery in deliveries where delivery.second == second {
                _ = estimator.take(delivery.message.window, from: delivery.message.gateway)
            }
            estimator.advance(
                through: Scene.second(second + 1), offline: offline(second) ? ["till"] : [])
            states[second] = estimator.now[0]
        }
        return states
    }

    @Test(
        "a gateway that the broker reports as offline makes the queue unknown in three seconds")
    func offline() throws {
        let states = try Self.states(
            tillArrives: { $0 < 200 ? $0 : nil }, offline: { $0 >= 200 })
        #expect(states[199]?.state == .ok)
        let gone = try #require(states[202])
        #expect(gone.state == .unknown)
        #expect(gone.line == nil)
        #expect(
            gone.reasons == [
                .init(gateway: "till", cause: .unknown, since: Scene.second(200), until: nil)
            ])
        #expect(gone.since == Scene.second(200))
    }

    @Test(
        "a gateway that was offline must hear for 30 s, also if a late message comes meanwhile"
    )
    func back() throws {
        let states = try Self.states(
            tillArrives: { second in
                // The window of the second 206 comes three seconds late.
                (200..<205).contains(second) ? nil : second == 206 ? 209 : second
            }, offline: { (200..<205).contains($0) })
        for second in 203...232 as ClosedRange<Int64> {
            #expect(states[second]?.state == .unknown, "\(second)")
        }
        #expect(states[240]?.state == .ok)
    }

    @Test("a backlog of the time offline makes the queue known at once")
    func backlog() throws {
        let states = try Self.states(
            tillArrives: { (200..<220).contains($0) ? 220 : $0 },
            offline: { (205..<220).contains($0) })
        #expect(states[210]?.state == .unknown)
        #expect(states[221]?.state == .ok)
        #expect(states[221]?.line?.tags == 1)
    }

    @Test("while a gateway sends windows, the report that it is offline changes nothing")
    func wrongReport() throws {
        let states = try Self.states(tillArrives: { $0 }, offline: { $0 >= 200 })
        #expect(states.filter { $0.key > 150 }.allSatisfy { $0.value.state == .ok })
    }

    @Test(
        "a person who may have joined unseen makes the line uncertain, until three others are served"
    )
    func hidden() throws {
        // The first one teaches the close levels.
        let walks = [150, 270, 370, 470].map {
            Scene.Walk(tag: UInt64($0), joined: $0, left: $0 + 60)
        }
        let messages = Scene.messages(walks, seconds: 0..<620, seed: 3) { gateway, second in
            gateway == "till" && (220..<230).contains(second) ? .deaf : .hearing
        }
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        var states: [Int64: QueueNow] = [:]
        for second in 0..<620 as Range<Int64> {
            for message in messages
            where message.window.span.lowerBound == Scene.second(second).start {
                // Somebody stands behind the till, from second 40 on.
                var window = message.window
                if window.state == .hearing, second >= 40 {
                    let power = message.gateway == "till" ? -73.0 : -88
                    window = Scene.window(
                        second,
                        powers: window.readings.map { (tag: $0.tag.rawValue, power: $0.power) }
                            + [(tag: 9, power: power + Double(second % 3))],
                        session: message.gateway)
                }
                _ = estimator.take(window, from: message.gateway)
            }
            estimator.advance(through: Scene.second(second + 1))
            states[second] = estimator.now[0]
        }
        #expect(states[215]?.state == .ok)
        #expect(states[265]?.state == .unknown)
        #expect(states[325]?.state == .degraded)
        #expect(states[325]?.line?.tags == 1)
        #expect(states[325]?.reasons.map(\.gateway) == ["till"])
        // One or two have joined and been served: they may have overtaken.
        #expect(states[355]?.state == .unknown)
        #expect(states[455]?.state == .unknown)
        #expect(states[570]?.state == .ok)
        #expect(states[570]?.line?.tags == 0)
    }
}
