import Primitives
import Testing

@testable import VirtualRadio

@Suite struct CycleTests {
    @Test("each step has its factor, before and after the zero of the timeline") func steps() {
        let cycle = Cycle(seconds: 60, factors: [1, 0, 3])
        let expected: [(Int64, Double)] = [
            (0, 1), (19, 1), (20, 0), (39, 0), (40, 3), (59, 3), (60, 1), (-1, 3), (-21, 0),
            (-41, 1),
        ]
        for (time, factor) in expected { #expect(cycle.factor(at: .seconds(time)) == factor) }
        #expect(cycle.highest == 3)
    }

    @Test("the next time with a factor is the present or the start of a step")
    func next() {
        let cycle = Cycle(seconds: 60, factors: [1, 0, 0])
        #expect(cycle.next(from: .seconds(5)) == .seconds(5))
        #expect(cycle.next(from: .seconds(20)) == .seconds(60))
        #expect(cycle.next(from: .seconds(59)) == .seconds(60))
        #expect(Cycle(seconds: 60, factors: [0]).next(from: .seconds(0)) == nil)
        // Steps of a third of a microsecond's multiple: the time that is found has the factor.
        let odd = Cycle(seconds: 100, factors: [0, 0, 1])
        for time in Instant.steps(
            from: .seconds(-200), to: .seconds(200), by: .microseconds(1_234_567))
        {
            let next = odd.next(from: time)
            #expect(next.map { $0 >= time && odd.factor(at: $0) == 1 } == true)
        }
    }
}
