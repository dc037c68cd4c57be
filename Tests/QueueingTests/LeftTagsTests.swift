import Facts
import Testing

@testable import Queueing

@Suite("tags that stay at the till without their persons")
struct LeftTagsTests {
    private static func stay(
        _ entered: UnixSecond, _ left: UnixSecond, till: TillIndex = 0, isTagLeft: Bool = false
    ) -> LineStay {
        LineStay(
            entered: EdgeDate(entered), left: EdgeDate(left), end: .served, gain: 0, logOdds: 6,
            till: till, isTagLeft: isTagLeft)
    }

    /// When those left whose tags stayed, in the order of joining.
    private static func dates(_ stays: [LineStay], tills: Int = 1) -> [EdgeDate] {
        let proposals = stays.enumerated().map { number, stay in
            LineOrder.Proposal(tag: Tag(rawValue: UInt64(number)), stay: stay)
        }
        return LeftTags.dated(proposals, tills: tills).map(\.stay).filter(\.isTagLeft)
            .sorted { $0.entered.second < $1.entered.second }.map(\.left)
    }

    @Test("the time between the visits before and after is divided evenly among the services")
    func even() {
        let before = Self.stay(0, 100)
        let after = Self.stay(40, 220)
        let one = Self.dates([before, Self.stay(20, 220, isTagLeft: true), after])
        #expect(one == [EdgeDate(160, within: 100...220)])
        let two = Self.dates([
            before, Self.stay(20, 220, isTagLeft: true), Self.stay(30, 220, isTagLeft: true), after,
        ])
        #expect(two.map(\.second) == [140, 180])
        // Somebody who was served after the next one tells no more.
        let later = Self.dates([
            before, Self.stay(20, 400, isTagLeft: true), after, Self.stay(60, 400),
        ])
        #expect(later.map(\.second) == [160])
    }

    @Test("a person whose successor came later was served for a mean time")
    func idle() {
        let dates = Self.dates([Self.stay(20, 900, isTagLeft: true), Self.stay(800, 900)])
        // Services of 45 s count as five, and the known one took 100 s.
        #expect(dates.map(\.second) == [74])
        // The successor waits from second 50 on: the service had not ended then.
        let busy = Self.dates([Self.stay(20, 900, isTagLeft: true), Self.stay(50, 100)])
        #expect(busy.map(\.second) == [60])
    }

    @Test("a visit at another till tells nothing of the tag's person")
    func otherTill() {
        let left = Self.stay(20, 300, isTagLeft: true)
        let other = Self.stay(40, 100, till: 1)
        #expect(Self.dates([left, other], tills: 2) == [EdgeDate(300)])
        let dates = Self.dates([left, other, Self.stay(50, 220)], tills: 2)
        #expect(dates.map(\.second) == [120])
    }

    @Test("two later visits at a till show that a person has left it")
    func several() {
        for gateways in 1...3 {
            var order = LineOrder(ParallelTills(gateways: gateways))
            for number in 1...3 {
                let end = UnixSecond(Int64(100 * number))
                order.add(Self.stay(50, end), of: Tag(rawValue: UInt64(number)))
                let served = order.served(at: 0, joinedAfter: 20, besides: Tag(rawValue: 9))
                #expect(served == (number >= 2 ? EdgeDate(end) : nil), "\(gateways) tills")
            }
            #expect(order.served(at: 0, joinedAfter: 49, besides: Tag(rawValue: 9)) == nil)
            #expect(order.served(at: 1, joinedAfter: 20, besides: Tag(rawValue: 9)) == nil)
        }
    }

    /// Twelve visits, of which the tag of the fourth one stays at the till for a quarter of an hour.
    private static func messages(takenUp: Bool = false) -> [Scene.Message] {
        var walks = Scene.twelve
        walks[3].lies = 900
        let end = walks[3].left + 900
        if takenUp {
            walks.append(Scene.Walk(tag: 4, joined: end + 67, left: end + 157))
        }
        return Scene.messages(walks, seconds: 0..<1500, seed: 3)
    }

    @Test("its visit ends between those before and after, and the others are as without it")
    func left() throws {
        let results = try Scene.results(Self.messages())
        let visits = results.visits.sorted { $0.entered.second < $1.entered.second }
        #expect(visits.map(\.tag.rawValue) == Array(1...12))
        let left = try #require(visits.first { $0.tag.rawValue == 4 })
        let walks = Scene.twelve
        #expect(left.isTagLeft && !left.isMeasured && left.end == .served)
        let (before, after) = (Scene.second(walks[2].left), Scene.second(walks[4].left))
        #expect(left.left.second > before.advanced(by: -5) && left.left.second < after)
        #expect(visits.filter(\.isTagLeft).count == 1)
        let last = try #require(results.periods.last)
        #expect(last.line.lengthAtEnd == 0)
        #expect(results.periods.allSatisfy { $0.line.lengthAtEnd <= 4 })
    }

    @Test("a tag that somebody takes from the till is a new person's")
    func takenUp() throws {
        let visits = try Scene.results(Self.messages(takenUp: true)).visits
        #expect(visits.filter { $0.tag.rawValue == 4 }.count == 2)
        #expect(visits.count == 13)
    }
}
