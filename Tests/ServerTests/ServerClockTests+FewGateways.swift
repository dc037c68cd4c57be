import Primitives
import Testing

@testable import Server

extension ServerClockTests {
    @Test("one gateway and the wall clock are certain after an hour, or two days after a step")
    func oneGateway() {
        var machine = Machine(isDisciplined: false, gateways: ["e"])
        machine.pass(3600)
        #expect(machine.certainty == .probable)
        machine.pass(60)
        #expect(machine.certainty == .certain)
        #expect(machine.clock.lastingUncertainty(at: machine.now) == nil)
        // The operator sets the machine's clock.
        machine = Machine(error: -2 * Self.hour, isDisciplined: false, gateways: ["e"])
        machine.pass(60)
        machine.error = 0
        machine.pass(10_000)
        #expect(machine.difference == 0)
        #expect(machine.certainty == .probable)
        for _ in 0..<48 * 60 {
            machine.age += 59_000
            machine.pass(1)
        }
        #expect(machine.certainty == .certain)
    }

    @Test("the silence after a message is no agreement, and does not end one")
    func silentGateway() {
        var machine = Machine(isDisciplined: false, gateways: ["e"])
        machine.pass(1)
        machine.pass(2 * 3600, hearing: [])
        #expect(machine.certainty == .probable)
        machine.pass(1)
        #expect(machine.certainty == .probable)
        machine.pass(1800)
        machine.pass(1200, hearing: [])
        machine.pass(1700)
        #expect(machine.certainty == .probable)
        machine.pass(110)
        machine.pass(1200, hearing: [])
        #expect(machine.certainty == .certain)
    }

    @Test(
        "few gateways are not certain while another one contradicts, which may be right",
        arguments: [29 * 24 * hour, -29 * 24 * hour])
    func contradiction(error: Int64) {
        var machine = Machine(error: error, isDisciplined: false, gateways: ["a", "b", "c", "d"])
        for _ in 0..<2 * 3600 {
            machine.pass(1, hearing: ["b"])
            machine.hear(machine.truth + error - 200, "a")
        }
        #expect(machine.certainty < .certain)
    }

    @Test("one gateway alone, whose time the wall clock does not show, is never certain")
    func oneLiar() {
        var machine = Machine(error: -100_000, isDisciplined: false, gateways: ["a"])
        machine.pass(7200, late: -29 * 24 * Self.hour)
        machine.age += 72 * Self.hour
        machine.pass(10, late: -29 * 24 * Self.hour)
        #expect(machine.certainty < .certain)
    }

    @Test("one gateway alone is believed after half a minute; then nothing is undecided")
    func one() {
        var machine = Machine(error: -Machine.noon, isDisciplined: false)
        machine.pass(1, hearing: ["e"])
        #expect(machine.judge(machine.truth) == .undecided)
        machine.pass(29, hearing: ["e"])
        #expect(machine.certainty == .unconfirmed)
        machine.pass(1, hearing: ["e"])
        #expect(machine.judge(machine.truth) == .plausible)
        #expect(machine.certainty == .doubtful)
        var other = Machine(error: -Machine.noon, isDisciplined: false)
        #expect(other.judge(other.truth) == .undecided)
        other.pass(30, hearing: [])
        #expect(other.judge(other.truth) == .future)
    }

    @Test("one gateway of two moves a clock that was set by a month at most")
    func oneOfTwo() {
        for (days, isBelieved) in [(29 as Int64, true), (31, false), (300, false)] {
            var machine = Machine(error: -days * 24 * Self.hour, isDisciplined: false)
            _ = machine.judge(machine.truth)
            machine.pass(40, hearing: ["e"])
            #expect(machine.certainty == (isBelieved ? .doubtful : .unconfirmed))
            #expect(machine.judge(machine.truth) == (isBelieved ? .plausible : .future))
            // Both together are believed.
            machine.pass(10)
            #expect(machine.judge(machine.truth) == .plausible)
        }
    }

    @Test(
        "most gateways together do not move a confirmed time that the wall clock shows",
        arguments: [true, false])
    func liars(isDisciplined: Bool) {
        var machine = Machine(isDisciplined: isDisciplined, gateways: ["a", "b", "c"])
        machine.pass(5)
        for _ in 0..<100 {
            machine.pass(1, hearing: ["a"])
            for gateway in ["b", "c"] {
                machine.hear(machine.truth + 400 * 24 * Self.hour, gateway)
                machine.hear(.max, gateway)
            }
        }
        #expect(machine.difference == 0)
        #expect(machine.judge(machine.truth + 60_001) == .future)
        #expect(machine.judge(machine.truth + 59_999) == .plausible)
        #expect(machine.judge(.max) == .future)
    }

    /// Eight gateways, of which the first ones show a time of 29 days later. The wall clock is 100 s late.
    private func lies(_ liars: Int) -> (machine: Machine, liars: [String], others: [String]) {
        let gateways = (1...8).map { "g\($0)" }
        return (
            Machine(error: -100_000, isDisciplined: false, gateways: gateways),
            Array(gateways.prefix(liars)), Array(gateways.dropFirst(liars))
        )
    }

    static let days29 = 29 * 24 * hour

    @Test("later gateways overrule those that have moved the time", arguments: [1, 2, 4])
    func overruled(count: Int) {
        var (machine, liars, others) = lies(count)
        _ = machine.judge(machine.truth + Self.days29)
        machine.pass(45, hearing: liars, late: -Self.days29)
        #expect(abs(machine.difference - Self.days29) < 1000)
        #expect(machine.certainty == .doubtful)
        // Windows of before wait for a correction.
        #expect(machine.clock.correctable(at: machine.now)?.milliseconds ?? .max < machine.truth)
        for _ in 0..<45 {
            machine.pass(1, hearing: others)
            for gateway in liars { machine.hear(machine.truth + Self.days29, gateway) }
        }
        #expect(abs(machine.difference) < 1000)
        #expect(machine.certainty < .certain)
        #expect(machine.judge(machine.truth + Self.days29) == .future)
        machine.pass(600, hearing: others)
        #expect(abs(machine.difference) < 1000)
    }

    @Test(
        "gateways that show another time do not move the time of as many that agree with the wall clock"
    )
    func contradicted() {
        var (machine, liars, others) = lies(4)
        machine.error = 0
        machine.pass(1)
        for _ in 0..<600 {
            machine.pass(1, hearing: others)
            for gateway in liars { machine.hear(machine.truth + Self.days29, gateway) }
        }
        #expect(machine.difference == 0)
    }

    @Test("a time of most gateways is certain two days later, and one of few gateways never")
    func margin() {
        var most = Machine(error: -Self.days29, isDisciplined: false, gateways: ["a", "b", "c"])
        var few = most
        most.pass(1, hearing: ["a", "b"])
        few.pass(40, hearing: ["a"])
        #expect(most.certainty == .probable && few.certainty == .doubtful)
        most.age += 47 * Self.hour
        few.age += 47 * Self.hour
        #expect(most.certainty == .probable && few.certainty == .probable)
        most.age += 2 * Self.hour
        few.age += 2000 * Self.hour
        #expect(most.certainty == .certain && few.certainty == .probable)
        few.pass(1, hearing: [])
        few.age += 60 * Self.hour
        few.pass(1, hearing: [])
        #expect(few.clock.lastingUncertainty(at: few.now) != nil)
        #expect(most.clock.lastingUncertainty(at: most.now) == nil)
    }

    @Test(
        "few gateways are believed after half a minute in which the broker repeats their first messages"
    )
    func repeatedMessages() {
        var machine = Machine(
            error: -100_000, isDisciplined: false, gateways: (1...8).map { "g\($0)" })
        let first = machine.truth
        for second in 0...29 {
            if second % 2 == 0 {
                for end in 0...min(second, 4) {
                    for gateway in ["g1", "g2"] {
                        machine.hear(first + Int64(end) * 1000, gateway)
                        #expect(machine.judge(first + Int64(end) * 1000) == .undecided)
                    }
                }
            }
            machine.pass(1, hearing: [])
        }
        machine.hear(first, "g1")
        #expect(abs(machine.difference) < 1000)
    }

    @Test(
        "later gateways overrule also when their messages come ever later, since the machine is busy"
    )
    func busy() {
        var (machine, liars, others) = lies(1)
        _ = machine.judge(machine.truth)
        machine.pass(45, hearing: liars, late: -Self.days29)
        for second in 0..<45 as Range<Int64> {
            machine.pass(1, hearing: others, late: second * 600)
        }
        #expect(abs(machine.difference) < 1000)
    }
}
