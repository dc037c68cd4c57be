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
        var order = LineOrder(tills: tills)
        order.add(stay(20, 60, logOdds: logOdds), of: Tag(rawValue: 2))
        order.add(stay(0, 100, logOdds: 6), of: Tag(rawValue: 1))
        return order
    }

    @Test("with one till, a stay that overtakes a visit is none; with two tills, it may be one")
    func overtaking() {
        for (tills, expected) in [(1, [1]), (2, [2, 1])] as [(Int, [UInt64])] {
            var order = Self.overtaken(tills: tills, logOdds: 2)
            let visits = order.judge(at: 112, stillInSince: nil)
            #expect(visits.map(\.tag.rawValue) == expected, "\(tills) tills")
        }
        // A stay that is more certain than the order stays a visit.
        var certain = Self.overtaken(tills: 1, logOdds: 6)
        #expect(certain.judge(at: 112, stillInSince: nil).count == 2)
    }

    @Test("a stay is judged when all have left who joined before it, or after ten minutes")
    func waiting() {
        var order = LineOrder(tills: 1)
        order.add(Self.stay(20, 60, logOdds: 2), of: Tag(rawValue: 2))
        #expect(order.judge(at: 72, stillInSince: 0).isEmpty)
        #expect(order.undecidedSince == 20)
        var late = order
        #expect(late.judge(at: 659, stillInSince: 0).isEmpty)
        #expect(late.judge(at: 660, stillInSince: 0).count == 1)
        // Somebody who joined later is no reason to wait.
        #expect(order.judge(at: 73, stillInSince: 30).count == 1)
        #expect(order.undecidedSince == nil)
    }

    @Test("who leaves out of turn like a person who gives up has abandoned the line")
    func givingUp() {
        for (tills, givingUp, expected) in [
            (1, 1.0, [.abandoned, .served]), (1, -1.0, [.served]), (2, 1.0, [.served, .served]),
        ] as [(Int, Double, [LineStay.End])] {
            var order = LineOrder(tills: tills)
            var left = Self.stay(20, 60, logOdds: 2)
            left.givingUp = givingUp
            left.till = 0
            order.add(left, of: Tag(rawValue: 2))
            order.add(Self.stay(0, 100, logOdds: 6), of: Tag(rawValue: 1))
            let visits = order.judge(at: 112, stillInSince: nil)
            #expect(visits.map(\.stay.end) == expected, "\(tills) tills, \(givingUp)")
            #expect(visits.allSatisfy { $0.stay.end == .served || $0.stay.till == nil })
        }
    }

    @Test("before it is judged, a stay beside a person in line is no visit at present")
    func provisional() {
        var order = LineOrder(tills: 1)
        order.add(Self.stay(20, 60, logOdds: 2), of: Tag(rawValue: 2))
        #expect(order.provisional([], inLine: []).count == 1)
        let waits = LineOrder.Proposal(
            tag: Tag(rawValue: 1), stay: Self.stay(0, .never, logOdds: 5))
        #expect(order.provisional([], inLine: [waits]).isEmpty)
    }

    @Test("all visits of a line are kept, with any number of tills", arguments: 1...4)
    func line(tills: Int) {
        for seed in 1...5 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var order = LineOrder(tills: tills)
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
            #expect(order.judge(at: nil, stillInSince: nil).count == 200)
        }
    }

    @Test("at one of several tills, a person overtakes those at the others, and nobody else")
    func severalTills() {
        for (tills, expected) in [(2, [1, 2]), (3, [3, 1, 2])] as [(Int, [UInt64])] {
            var order = LineOrder(tills: tills)
            order.add(Self.stay(0, 100, logOdds: 6), of: Tag(rawValue: 1))
            order.add(Self.stay(10, 110, logOdds: 6), of: Tag(rawValue: 2))
            order.add(Self.stay(20, 60, logOdds: 2), of: Tag(rawValue: 3))
            let visits = order.judge(at: 122, stillInSince: nil)
            #expect(visits.map(\.tag.rawValue) == expected, "\(tills) tills")
        }
    }

    @Test("a queue learns that its visits overtake one another: tills without a gateway")
    func learning() {
        var order = LineOrder(tills: 1)
        for pair in 0..<200 as Range<Int64> {
            let at = { (second: Int64) in UnixSecond(pair * 200 + second) }
            order.add(Self.stay(at(0), at(100), logOdds: 6), of: Tag(rawValue: 1))
            order.add(Self.stay(at(20), at(60), logOdds: 6), of: Tag(rawValue: 2))
            _ = order.judge(at: at(112), stillInSince: nil)
        }
        order.add(Self.stay(50_020, 50_060, logOdds: 0.5), of: Tag(rawValue: 4))
        order.add(Self.stay(50_000, 50_100, logOdds: 6), of: Tag(rawValue: 3))
        #expect(order.judge(at: 50_112, stillInSince: nil).count == 2)
    }
}
