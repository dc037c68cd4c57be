import Testing

@testable import VirtualRadio

@Suite struct CycleTests {
    private let second: Int64 = 1_000_000

    @Test("each step has its factor, before and after the zero of the timeline") func steps() {
        let cycle = Cycle(seconds: 60, factors: [1, 0, 3])
        let expected: [(Int64, Double)] = [
            (0, 1), (19, 1), (20, 0), (39, 0), (40, 3), (59, 3), (60, 1), (-1, 3), (-21, 0),
            (-41, 1),
        ]
        for (time, factor) in expected { #expect(cycle.factor(at: time * second) == factor) }
        #expect(cycle.highest == 3)
    }

    @Test("the next time with a factor is the present or the start of a step")
    func next() {
        let cycle = Cycle(seconds: 60, factors: [1, 0, 0])
        #expect(cycle.next(from: 5 * second) == 5 * second)
        #expect(cycle.next(from: 20 * second) == 60 * second)
        #expect(cycle.next(from: 59 * second) == 60 * second)
        #expect(Cycle(seconds: 60, factors: [0]).next(from: 0) == nil)
        // Steps of a third of a microsecond's multiple: the time that is found has the factor.
        let odd = Cycle(seconds: 100, factors: [0, 0, 1])
        for time in stride(from: -200 * second, to: 200 * second, by: 1_234_567) {
            let next = odd.next(from: time)
            #expect(next.map { $0 >= time && odd.factor(at: $0) == 1 } == true)
        }
    }
}
