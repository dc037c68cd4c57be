import Facts
import Primitives
import Testing

@testable import Queueing

@Suite("the judgement of stays by the order of the line")
struct LineOrderTests {
    private static func stay(_ entered: UnixSecond, _ left: UnixSecond, logOdds: Double) -> LineStay
    {
        LineStay(
            entered: EdgeDate(entered), left: EdgeDate(left), end: .served, gain: 0,
            logOdds: logOdds)
    }

    /// A visit from 0 to 100 that is certain, and a shorter stay beside it.
    private static func overtaken(tills: Int, logOdds: Double) -> LineOrder {
        var order = LineOrder(ParallelTills(gateways: tills))
        order.add(stay(20, 60, logOdds: logOdds), of: Tag(rawValue: 2))
        order.add(stay(0, 100, logOdds: 6), of: Tag(rawValue: 1))
        return order
    }

    @Test("with one till, a stay that overtakes a visit is none; with two tills, it may be one")
    func overtaking() {
        for (tills, expected) in [(1, [1]), (2, [2, 1])] as [(Int, [UInt64])] {
            var order = Self.overtaken(tills: tills, logOdds: 2)
            let visits = order.visits(at: 112, stillInSince: nil)
            #expect(visits.map(\.tag.rawValue) == expected, "\(tills) tills")
        }
        // A stay that is more certain than the order stays a visit.
        var certain = Self.overtaken(tills: 1, logOdds: 6)
        #expect(certain.visits(at: 112, stillInSince: nil).count == 2)
    }

    @Test("a stay is judged when all have left who joined before it, or after ten minutes")
    func waiting() {
        var order = LineOrder(ParallelTills(gateways: 1))
        order.add(Self.stay(20, 60, logOdds: 2), of: Tag(rawValue: 2))
        #expect(order.visits(at: 72, stillInSince: 0).isEmpty)
        #expect(order.undecidedSince == 20)
        var late = order
        #expect(late.visits(at: 659, stillInSince: 0).isEmpty)
        #expect(late.visits(at: 660, stillInSince: 0).count == 1)
        // Somebody who joined later is no reason to wait.
        #expect(order.visits(at: 73, stillInSince: 30).count == 1)
        #expect(order.undecidedSince == nil)
    }

    @Test(
        "a stay that may end in a deaf time is judged after it, with an interval that holds all of it"
    )
    func beside() throws {
        var order = LineOrder(ParallelTills(gateways: 1))
        var stay = Self.stay(20, 60, logOdds: 2)
        stay.left = EdgeDate(60, unknown: [62..<72])
        order.add(stay, of: Tag(rawValue: 2))
        #expect(order.visits(at: 72, stillInSince: nil, unknown: 62..<72).isEmpty)
        order.widen(with: 62..<73)
        #expect(order.visits(at: 73, stillInSince: nil, unknown: 62..<73).isEmpty)
        let judged = try #require(order.visits(at: 74, stillInSince: nil).first)
        #expect(judged.stay.left.latest == 73)
        #expect(judged.stay.left.earliest == 60)
    }

    @Test("who leaves out of turn like a person who gives up has abandoned the line")
    func givingUp() {
        for (tills, givingUp, expected) in [
            (1, 1.0, [.abandoned, .served]), (1, -1.0, [.served]), (2, 1.0, [.served, .served]),
        ] as [(Int, Double, [Visit.End])] {
            var order = LineOrder(ParallelTills(gateways: tills))
            var left = Self.stay(20, 60, logOdds: 2)
            left.givingUp = givingUp
            left.till = 0
            order.add(left, of: Tag(rawValue: 2))
            order.add(Self.stay(0, 100, logOdds: 6), of: Tag(rawValue: 1))
            let visits = order.visits(at: 112, stillInSince: nil)
            #expect(visits.map(\.stay.end) == expected, "\(tills) tills, \(givingUp)")
            #expect(visits.allSatisfy { $0.stay.end == .served || $0.stay.till == nil })
        }
    }

    @Test("before it is judged, a stay beside a person in line is no visit at present")
    func provisional() {
        var order = LineOrder(ParallelTills(gateways: 1))
        order.add(Self.stay(20, 60, logOdds: 2), of: Tag(rawValue: 2))
        #expect(order.provisional([], inLine: []).left.count == 1)
        let waits = LineOrder.Proposal(
            tag: Tag(rawValue: 1), stay: Self.stay(0, .never, logOdds: 5))
        let judged = order.provisional([], inLine: [waits])
        #expect(judged.left.filter(\.isVisit).isEmpty)
        #expect(judged.inLine.map(\.stay.isVisit) == [true])
    }

    @Test("all visits of a line are kept, with any number of tills", arguments: 1...4)
    func line(tills: Int) {
        for seed in 1...5 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var order = LineOrder(ParallelTills(gateways: tills))
            var joined: Int64 = 0
            var free = [Int64](repeating: 0, count: tills)
            for person in 0..<200 as Range<UInt64> {
                joined += Int64.random(in: 10...90, using: &random) / Int64(tills)
                // The first till that is free serves the person.
                free.sort()
                free[0] = max(free[0], joined) + Int64.random(in: 10...80, using: &random)
                let stay = Self.stay(UnixSecond(joined), UnixSecond(free[0]), logOdds: 0.1)
                order.add(stay, of: Tag(rawValue: person))
            }
            #expect(order.visits(at: nil, stillInSince: nil).count == 200)
        }
    }

    @Test("at one of several tills, a person overtakes those at the others, and nobody else")
    func severalTills() {
        for (tills, expected) in [(2, [1, 2]), (3, [3, 1, 2])] as [(Int, [UInt64])] {
            var order = LineOrder(ParallelTills(gateways: tills))
            order.add(Self.stay(0, 100, logOdds: 6), of: Tag(rawValue: 1))
            order.add(Self.stay(10, 110, logOdds: 6), of: Tag(rawValue: 2))
            order.add(Self.stay(20, 60, logOdds: 2), of: Tag(rawValue: 3))
            let visits = order.visits(at: 122, stillInSince: nil)
            #expect(visits.map(\.tag.rawValue) == expected, "\(tills) tills")
        }
    }

    @Test("two stays of which one overtakes the other weaken each other, whichever is longer")
    func both() {
        // Two certain visits between 20 and 90 keep the order of each other; the stay beside them does not.
        for logOdds in [0.5, 2, 4] {
            var order = LineOrder(ParallelTills(gateways: 1))
            order.add(Self.stay(20, 50, logOdds: 6), of: Tag(rawValue: 1))
            order.add(Self.stay(30, 80, logOdds: 6), of: Tag(rawValue: 2))
            order.add(Self.stay(0, 100, logOdds: logOdds), of: Tag(rawValue: 3))
            let visits = order.visits(at: 112, stillInSince: nil)
            #expect(visits.map(\.tag.rawValue) == [1, 2], "\(logOdds)")
            #expect(visits.allSatisfy { $0.stay.logOdds > 4 })
        }
    }

    @Test("a person in line whom several visits overtake is probably not in line")
    func presentOrder() {
        var order = LineOrder(ParallelTills(gateways: 1))
        order.add(Self.stay(20, 60, logOdds: 5), of: Tag(rawValue: 2))
        order.add(Self.stay(30, 90, logOdds: 5), of: Tag(rawValue: 3))
        let stands = LineOrder.Proposal(
            tag: Tag(rawValue: 1), stay: Self.stay(0, .never, logOdds: 2))
        let joined = LineOrder.Proposal(
            tag: Tag(rawValue: 4), stay: Self.stay(70, .never, logOdds: 2))
        let judged = order.provisional([], inLine: [stands, joined])
        #expect(judged.inLine.map(\.stay.isVisit) == [false, true])
        #expect(judged.left.count == 2)
    }

    @Test("a stay waits for the judgement of those that may overtake it")
    func pending() {
        var order = LineOrder(ParallelTills(gateways: 1))
        order.add(Self.stay(0, 100, logOdds: 2), of: Tag(rawValue: 1))
        let over = Self.stay(20, 60, logOdds: 6)
        #expect(order.visits(at: 112, stillInSince: nil, pending: [over]).isEmpty)
        order.add(over, of: Tag(rawValue: 2))
        #expect(order.visits(at: 113, stillInSince: nil).map(\.tag.rawValue) == [2])
    }

    /// A queue in which, of two visits at a time, the later one leaves before the other `number` of times in 200.
    private static func learnt(overtaking number: Int64, of others: Int64 = 1) -> LineOrder {
        var order = LineOrder(ParallelTills(gateways: 1))
        for group in 0..<200 as Range<Int64> {
            let at = { (second: Int64) in UnixSecond(group * 200 + second) }
            for other in 0..<others {
                order.add(
                    Self.stay(at(other * 3), at(100 + other * 3), logOdds: 6),
                    of: Tag(rawValue: UInt64(other)))
            }
            let isOvertaking = group < number
            order.add(
                Self.stay(at(20), at(isOvertaking ? 60 : 120), logOdds: 6), of: Tag(rawValue: 9))
            _ = order.visits(at: at(140), stillInSince: nil)
        }
        return order
    }

    @Test("a queue learns how many people its tills without a gateway serve at a time")
    func learning() {
        for (overtaking, others, expected) in [(0, 1, 1), (8, 1, 1), (60, 1, 2), (60, 2, 2)]
            as [(Int64, Int64, Int)]
        {
            var order = Self.learnt(overtaking: overtaking, of: others)
            order.add(Self.stay(50_020, 50_060, logOdds: 0.5), of: Tag(rawValue: 4))
            order.add(Self.stay(50_000, 50_100, logOdds: 6), of: Tag(rawValue: 3))
            let visits = order.visits(at: 50_112, stillInSince: nil)
            #expect(visits.count == expected, "\(overtaking) overtake \(others)")
        }
    }

    @Test("the number of people served at a time comes from the numbers of overtaken stays")
    func tillsAtOnce() {
        // Passers-by beside the line: the numbers fall off slowly.
        for (counts, gateways, expected) in [
            ([99, 1], 1, 1), ([78, 21, 1], 1, 2), ([53, 23, 10, 7, 3, 4], 1, 1), ([40, 9], 1, 1),
            ([78, 20, 2], 2, 2), ([67, 21, 10, 1], 1, 3),
        ] as [([Int], Int, Int)] {
            var tills = ParallelTills(gateways: gateways)
            for (overtaken, count) in counts.enumerated() {
                for _ in 0..<count { tills.add(overtaken) }
            }
            #expect(tills.number == expected, "\(counts)")
        }
    }

    /// A stay with two dates of joining; the first one gains more by its levels.
    private static func stay(_ dates: [UnixSecond], _ left: UnixSecond, loss: Double) -> LineStay {
        var result = stay(dates[0], left, logOdds: 3)
        result.dates = dates.enumerated().map { index, date in
            JoiningDate(
                entered: EdgeDate(date), gain: -loss * Double(index), logOdds: 3, givingUp: -9)
        }
        return result
    }

    @Test("a person who passed the entry before the others joined after them")
    func laterDate() {
        for (loss, expected) in [(1.0, 60), (9, 0)] as [(Double, UnixSecond)] {
            var order = LineOrder(ParallelTills(gateways: 1))
            order.add(Self.stay(-100, 90, logOdds: 3), of: Tag(rawValue: 1))
            order.add(Self.stay(30, 110, logOdds: 3), of: Tag(rawValue: 2))
            order.add(Self.stay([0, 60], 130, loss: loss), of: Tag(rawValue: 3))
            #expect(order.undecidedSince == -100)
            // Somebody who joined between both dates may still be overtaken.
            var early = order
            #expect(early.visits(at: 142, stillInSince: 40).count == 2)
            #expect(early.undecidedSince == 0)
            let visits = order.visits(at: 142, stillInSince: nil)
            let third = visits.first { $0.tag.rawValue == 3 }
            #expect(third?.stay.entered.second == expected, "\(loss) nats")
        }
    }

    @Test("a person with nobody before is served at once: the date with the shorter service counts")
    func emptyLine() {
        for (busy, expected) in [(false, 90), (true, 0)] as [(Bool, UnixSecond)] {
            var order = LineOrder(ParallelTills(gateways: 1))
            // Until 95, somebody else is served.
            if busy { order.add(Self.stay(-60, 95, logOdds: 6), of: Tag(rawValue: 1)) }
            order.add(Self.stay([0, 90], 130, loss: 0.5), of: Tag(rawValue: 2))
            let stay = order.visits(at: 142, stillInSince: nil).last?.stay
            #expect(stay?.entered.second == expected, "\(busy)")
        }
    }
}
