import Facts
import Testing

@testable import Queueing

@Suite("gateways that are far apart")
struct DistantGatewaysTests {
    private static func levels(_ values: [Double]) -> [HoldFilter] {
        values.map { value in
            var level = HoldFilter()
            level.hear(value)
            return level
        }
    }

    private static func isApart(
        _ gateways: inout DistantGateways, _ values: [Double], _ isHeard: [Bool]
    ) -> Bool {
        gateways.on(levels(values), isHeard)
    }

    /// Tags stand next to each gateway in turn, and are this loud at the other one.
    private static func learnt(other: Double) -> DistantGateways {
        var gateways = DistantGateways(gateways: 2)
        for second in 0..<800 {
            let values = second % 2 == 0 ? [-1, other] : [other, -1]
            _ = gateways.on(levels(values), [true, true])
            gateways.endSecond()
        }
        return gateways
    }

    @Test("one identity next to two distant gateways at once is seen")
    func apart() {
        var gateways = Self.learnt(other: -28)
        #expect(Self.isApart(&gateways, [-2, -3], [true, true]))
        #expect(!Self.isApart(&gateways, [-2, -28], [true, true]))
        #expect(!Self.isApart(&gateways, [-2, -3], [true, false]))
    }

    @Test("neighbours, and gateways that have not learnt their distance, prove nothing")
    func neighbours() {
        var neighbours = Self.learnt(other: -20)
        #expect(!Self.isApart(&neighbours, [-2, -3], [true, true]))
        var new = DistantGateways(gateways: 2)
        #expect(!Self.isApart(&new, [-2, -3], [true, true]))
    }

    @Test("an identity at distant gateways at once is a clone after a while")
    func clone() {
        var behaviour = TagBehaviour(since: 0)
        for _ in 0..<19 { behaviour.noteApart() }
        #expect(behaviour.kind == .visitor)
        behaviour.noteApart()
        #expect(behaviour.kind == .clone)
    }

    @Test("a till is open if somebody left there within five minutes")
    func tills() {
        let leaver = { (left: UnixSecond, till: TillIndex?) in
            Visit(
                queue: "q", tag: Tag(rawValue: 1), entered: EdgeDate(left - .seconds(60)),
                left: EdgeDate(left),
                end: .served, logOdds: 5, till: till)
        }
        let leavers = [leaver(100, 0), leaver(350, 1), leaver(390, 1), leaver(395, 2)]
        #expect(OpenTills.count(leavers, length: 0, at: 401) == 2)
        #expect(OpenTills.count(leavers, length: 0, at: 399) == 3)
        #expect(OpenTills.count([], length: 0, at: 400) == 0)
        #expect(OpenTills.count([], length: 2, at: 400) == 1)
    }

    @Test("a visit ends at the loudest till")
    func loudest() throws {
        let text = """
            {"sites":[{"site":"s","queues":[{"queue":"q","entry":["entry"],"till":["other","till"]}]}]}
            """
        let layout = try QueueConfiguration(parsing: Array(text.utf8)).sites[0]
        var estimator = QueueEstimator(layout, learning: .zero)
        let walk = Scene.Walk(tag: 1, joined: 60, left: 160)
        for message in Scene.messages([walk], seconds: 0..<300, seed: 1) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        for second in 0..<300 as Range<Int64> {
            _ = estimator.take(Scene.window(second, session: "other"), from: "other")
        }
        let visit = try #require(estimator.finish().visits.first)
        #expect(visit.till == 1)
    }
}
