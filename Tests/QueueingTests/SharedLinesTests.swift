import Facts
import Testing

@testable import Queueing

@Suite("the lines of a site")
struct SharedLinesTests {
    private static func stay(
        _ entered: UnixSecond, _ left: UnixSecond, gain: Double = 0, logOdds: Double = 2
    ) -> LineStay {
        LineStay(
            entered: EdgeDate(entered), left: EdgeDate(left), end: .served, gain: gain,
            logOdds: logOdds)
    }

    private static func lines(_ names: [String] = ["a", "b"]) throws -> SharedLines {
        let queues = names.map { #"{"queue":"\#($0)","entry":["entry"],"till":["till-\#($0)"]}"# }
        let text = #"{"sites":[{"site":"s","queues":[\#(queues.joined(separator: ","))]}]}"#
        let site = try QueueConfiguration(parsing: Array(text.utf8)).sites[0]
        let roles = site.queues.map { QueueRoles($0, gateways: site.gateways) }
        return SharedLines(roles, roles.map { ParallelTills(gateways: $0.till.count) })
    }

    /// The number of visits in each line.
    private static func visits(_ lines: SharedLines) -> [Int] {
        var lines = lines
        return [0, 1].map { lines[$0].judge(at: nil, stillInSince: nil).count }
    }

    @Test("of people who are cut off, the most probable line counts, and short stays are none")
    func cutOff() throws {
        for (first, second) in [(0.5, 4.0), (4.0, 0.5)] {
            var lines = try Self.lines()
            for (queue, logOdds) in [first, second].enumerated() {
                let stay = try #require(
                    Self.stay(0, .never, logOdds: logOdds).cut(at: EdgeDate(90)))
                #expect(stay.end == .unknown && stay.left == EdgeDate(90))
                lines.add(stay, of: Tag(rawValue: 1), queue: QueueIndex(queue))
            }
            #expect(Self.visits(lines) == (first > second ? [1, 0] : [0, 1]))
        }
        #expect(Self.stay(80, .never).cut(at: EdgeDate(90)) == nil)
        // The end of the knowledge is not before the beginning of the stay.
        let late = EdgeDate(80, unknown: [70..<95])
        #expect(Self.stay(80, .never).cut(at: late) == nil)
    }

    @Test("of stays of one tag at one time, the one with the larger gain counts, in any order")
    func exclusion() throws {
        let stays: [(queue: QueueIndex, stay: LineStay)] = [
            (queue: 0, stay: Self.stay(0, 100, gain: 5)), (1, Self.stay(90, 150, gain: 9)),
        ]
        for order in [stays, stays.reversed()] {
            var lines = try Self.lines()
            for (queue, stay) in order { lines.add(stay, of: Tag(rawValue: 1), queue: queue) }
            #expect(Self.visits(lines) == [0, 1])
        }
    }

    @Test("a stay that is as probable in another line is half as certain, in any order")
    func certainty() throws {
        let stays: [(queue: QueueIndex, stay: LineStay)] = [
            (queue: 0, stay: Self.stay(0, 100, gain: 5, logOdds: 8)),
            (1, Self.stay(10, 100, gain: 9, logOdds: 8)),
        ]
        for order in [stays, stays.reversed()] {
            var lines = try Self.lines()
            for (queue, stay) in order { lines.add(stay, of: Tag(rawValue: 1), queue: queue) }
            let visit = try #require(lines[1].visits(at: nil, stillInSince: nil).first)
            #expect(abs(visit.stay.probabilityAmongLines - 0.5) < 0.001)
            // The order of its own line does not care.
            #expect(visit.stay.probability > 0.999)
        }
        // A stay at another time changes nothing.
        var lines = try Self.lines()
        lines.add(Self.stay(0, 100, logOdds: 8), of: Tag(rawValue: 1), queue: 0)
        lines.add(Self.stay(100, 200, logOdds: 8), of: Tag(rawValue: 1), queue: 1)
        let visit = try #require(lines[1].visits(at: nil, stillInSince: nil).first)
        #expect(visit.stay.probabilityAmongLines > 0.999)
    }

    @Test("certain stays in two lines at present are numbers")
    func certain() throws {
        let tracks = [1.0, 1.0].map {
            TrackView(probability: $0, decoder: LineDecoder(), second: 100)
        }
        let views = try Self.lines().exclusive(tracks, of: Tag(rawValue: 1))
        #expect(views.allSatisfy { (0...1).contains($0.probability) })
    }

    @Test("a passage excludes no visit, whatever its gain is")
    func passage() throws {
        let passage = Self.stay(0, 100, gain: 9, logOdds: -6)
        let stays: [(queue: QueueIndex, stay: LineStay)] = [
            (queue: 0, stay: passage), (1, Self.stay(20, 150, gain: 8, logOdds: 6)),
        ]
        for order in [stays, stays.reversed()] {
            var lines = try Self.lines()
            for (queue, stay) in order { lines.add(stay, of: Tag(rawValue: 1), queue: queue) }
            #expect(Self.visits(lines) == [0, 1])
        }
        // Nor a stay that goes on.
        var lines = try Self.lines()
        lines.add(passage, of: Tag(rawValue: 1), queue: 0)
        let tracks = [0.01, 0.99].map {
            TrackView(probability: $0, decoder: LineDecoder(), second: 100)
        }
        #expect(lines.exclusive(tracks, of: Tag(rawValue: 1))[1].inLine != nil)
    }

    @Test("of equal gains, the first queue by name counts, whatever the order of the configuration")
    func equal() throws {
        for (names, expected) in [(["a", "b"], [1, 0]), (["b", "a"], [0, 1])] {
            for order: [QueueIndex] in [[0, 1], [1, 0]] {
                var lines = try Self.lines(names)
                for queue in order {
                    lines.add(Self.stay(0, 100, gain: 5), of: Tag(rawValue: 1), queue: queue)
                }
                #expect(Self.visits(lines) == expected, "\(names) \(order)")
            }
        }
    }

    @Test("a person may join another line later, and others may be in it meanwhile")
    func inTurn() throws {
        var lines = try Self.lines()
        lines.add(Self.stay(0, 100, gain: 5), of: Tag(rawValue: 1), queue: 0)
        lines.add(Self.stay(100, 200, gain: 9), of: Tag(rawValue: 1), queue: 1)
        lines.add(Self.stay(0, 100, gain: 9), of: Tag(rawValue: 2), queue: 1)
        #expect(Self.visits(lines) == [1, 2])
    }

    @Test("a visit that is final excludes a stronger stay that comes later")
    func final() throws {
        var lines = try Self.lines()
        lines.add(Self.stay(0, 100, gain: 5), of: Tag(rawValue: 1), queue: 0)
        #expect(lines[0].visits(at: 112, stillInSince: nil).count == 1)
        lines.add(Self.stay(0, 100, gain: 9), of: Tag(rawValue: 1), queue: 1)
        #expect(Self.visits(lines) == [0, 0])
    }

    @Test("a stay waits for an undecided one of its tag in another line")
    func waiting() {
        var order = LineOrder(ParallelTills(gateways: 1))
        let tag = Tag(rawValue: 1)
        order.add(Self.stay(0, 100), of: tag)
        let judge = { (since: UnixSecond) in
            var order = order
            return order.visits(at: 112, stillInSince: nil, undecided: [tag: since]).count
        }
        #expect(judge(50) == 0)
        #expect(judge(100) == 1)
    }

    @Test("at present, a tag is in the line in which it is most probably")
    func present() throws {
        let lines = try Self.lines()
        let tracks = [0.7, 0.9].map {
            TrackView(probability: $0, decoder: LineDecoder(), second: 100)
        }
        let views = lines.exclusive(tracks, of: Tag(rawValue: 1))
        #expect(views.map { $0.inLine != nil } == [false, true])
        // Odds of 7 to 3 and 9 to 1, and 1 for neither.
        #expect(abs(views[0].probability - 7.0 / 37) < 1e-9)
        #expect(abs(views[1].probability - 27.0 / 37) < 1e-9)
    }
}
