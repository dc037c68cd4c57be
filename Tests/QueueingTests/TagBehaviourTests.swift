import Facts
import Primitives
import Testing

@testable import Queueing

@Suite("the behaviour of a tag")
struct TagBehaviourTests {
    private static func behaviour(
        seconds: Int64, every step: Int64 = 1, senders: Int = 1, spread: Double = 6
    ) -> TagBehaviour {
        var random = SplitMix64(seed: 5)
        var behaviour = TagBehaviour(since: 0)
        for second in stride(from: 0, to: seconds, by: Int(step)) {
            let noise = Double.random(in: -spread...spread, using: &random)
            behaviour.hear(power: -65 + noise, senders: senders, at: UnixSecond(second))
        }
        return behaviour
    }

    @Test("a tag on a person is a visitor's")
    func visitor() {
        #expect(Self.behaviour(seconds: 1800).kind == .visitor)
    }

    @Test("a beacon with a steady level is fixed")
    func fixed() {
        #expect(Self.behaviour(seconds: 1800, spread: 1).kind == .fixed)
        #expect(Self.behaviour(seconds: 300, spread: 1).kind == .visitor)
    }

    @Test("an identity of several senders for long is a clone")
    func clone() {
        #expect(Self.behaviour(seconds: 60, senders: 2).kind == .clone)
        #expect(Self.behaviour(seconds: 20, senders: 2).kind == .visitor)
    }

    @Test("a presence of many hours is staff, unless the tag was away between")
    func hours() {
        #expect(Self.behaviour(seconds: 5 * 3600, every: 60).kind == .staff)
        var behaviour = Self.behaviour(seconds: 3 * 3600, every: 60)
        for second in stride(from: 12 * 3600, to: 14 * 3600, by: 60) as StrideTo<Int64> {
            behaviour.hear(power: second % 120 == 0 ? -60 : -70, senders: 1, at: UnixSecond(second))
        }
        #expect(behaviour.kind == .visitor)
    }

    @Test("a tag that passes every hour of a day is no staff")
    func passesOften() {
        var behaviour = TagBehaviour(since: 0)
        for hour in 0..<10 as Range<Int64> {
            for second in 0..<120 as Range<Int64> {
                let power = second % 2 == 0 ? -60.0 : -70
                behaviour.hear(
                    power: power, senders: 1, at: UnixSecond(hour * 3600 + second))
            }
        }
        #expect(behaviour.kind == .visitor)
    }

    @Test("a tag that the configuration names a visitor's is never staff")
    func named() {
        var behaviour = TagBehaviour(since: 0, isNamed: true)
        for second in stride(from: 0, to: 30 * 3600, by: 60) as StrideTo<Int64> {
            behaviour.hear(power: second % 120 == 0 ? -60 : -70, senders: 1, at: UnixSecond(second))
            behaviour.noteVisit()
        }
        // After an absence of hours as well.
        behaviour.hear(power: -60, senders: 1, at: 144_000)
        for _ in 0..<20 { behaviour.noteVisit() }
        #expect(behaviour.kind == .visitor)
    }

    @Test("many visits are staff")
    func visits() {
        var behaviour = Self.behaviour(seconds: 600)
        for _ in 0..<8 { behaviour.noteVisit() }
        #expect(behaviour.kind == .visitor)
        behaviour.noteVisit()
        #expect(behaviour.kind == .staff)
    }
}
