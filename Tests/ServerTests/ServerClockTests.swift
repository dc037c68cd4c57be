import Primitives
import Testing

@testable import Server

/// A machine whose boot clock and wall clock are the test's, and gateways whose clocks are right.
private struct Machine {
    /// 2026-11-22 12:00 UTC at the start of the boot clock, in milliseconds since the epoch.
    static let noon: Int64 = 1_795_348_800_000
    static let hour: Int64 = 3_600_000

    var clock: ServerClock
    /// Milliseconds since the start.
    var age: Int64 = 0
    /// The wall clock's error.
    var error: Int64
    var isDisciplined: Bool
    let gateways: [String]

    init(error: Int64 = 0, isDisciplined: Bool = true, gateways: [String] = ["e", "t"]) {
        self.error = error
        self.isDisciplined = isDisciplined
        self.gateways = gateways
        clock = ServerClock(
            wall: Instant(microseconds: (Self.noon + error) * 1000), isDisciplined: isDisciplined,
            at: Instant(microseconds: 0))
    }

    var now: Instant { Instant(microseconds: age * 1000) }
    var truth: Int64 { Self.noon + age }

    /// Lets seconds pass, of each of which these gateways send a window a moment after its end.
    mutating func pass(_ seconds: Int, hearing heard: [String]? = nil, late: Int64 = 0) {
        for _ in 0..<seconds {
            age += 1000
            clock.follow(
                wall: Instant(microseconds: (truth + error) * 1000), isDisciplined: isDisciplined,
                at: now)
            for gateway in heard ?? gateways { hear(truth - 200 - late, gateway) }
        }
    }

    mutating func hear(_ end: Int64, _ gateway: String) {
        clock.on(end: UnixTime(milliseconds: end), from: gateway, of: gateways.count, at: now)
    }

    mutating func judge(_ end: Int64) -> ServerClock.Judgement {
        clock.judge(end: UnixTime(milliseconds: end), at: now)
    }

    /// The difference of the server's time to the true one.
    var certainty: TimeCertainty { clock.certainty(at: now) }

    var difference: Int64 { clock.time(at: now).milliseconds - truth }
}

@Suite("the server's time")
struct ServerClockTests {
    private static let hour = Machine.hour

    @Test(
        "a step of the wall clock that gateways contradict changes nothing",
        arguments: [6 * hour, -3 * hour, 400 * 24 * hour], [true, false])
    func wrongStep(step: Int64, isDisciplined: Bool) {
        var machine = Machine(isDisciplined: isDisciplined)
        machine.pass(10)
        #expect(machine.certainty == .certain)
        machine.error = step
        machine.pass(10)
        #expect(machine.clock.takeChange() == .doubted(.milliseconds(step)))
        machine.pass(1200)
        #expect(machine.difference == 0)
        #expect(machine.clock.takeChange() == nil)
        #expect(machine.judge(machine.truth) == .plausible)
        #expect(machine.judge(machine.truth + step) != .undecided)
    }

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

    @Test(
        "a step without any gateway waits until one confirms it", arguments: [6 * hour, -3 * hour])
    func silentStep(step: Int64) {
        var machine = Machine()
        machine.pass(10, hearing: [])
        machine.error = step
        machine.pass(2 * 3600, hearing: [])
        #expect(machine.difference == 0)
        // The machine was wrong before: the gateways have the time of its wall clock.
        machine.pass(10, hearing: ["e"], late: -step)
        #expect(abs(machine.difference - step) < 1000)
        #expect(machine.clock.takeChange() == .stepped(.milliseconds(step)))
    }

    @Test(
        "small differences of the wall clock are followed",
        arguments: [900, -2000, 4000] as [Int64])
    func slew(step: Int64) {
        var machine = Machine()
        machine.pass(10)
        machine.error = step
        machine.pass(1, hearing: [])
        #expect(machine.difference == step)
        #expect(machine.clock.takeChange() == nil)
    }

    @Test("a step of server and gateways together is taken")
    func together() {
        for step in [6 * Self.hour, -3 * Self.hour] {
            var machine = Machine()
            machine.pass(10)
            machine.error = step
            machine.pass(700, late: -step)
            #expect(abs(machine.difference - step) < 1000)
        }
    }

    @Test("an unset clock closes nothing, and takes the time of most gateways")
    func unset() {
        var machine = Machine(
            error: -Machine.noon, isDisciplined: false, gateways: ["a", "b", "c"])
        machine.pass(60, hearing: [])
        #expect(machine.certainty == .unconfirmed)
        machine.hear(machine.truth - 100, "a")
        #expect(machine.judge(machine.truth - 100) == .undecided)
        #expect(machine.certainty == .unconfirmed)
        machine.hear(machine.truth - 100, "b")
        #expect(machine.judge(machine.truth - 100) == .plausible)
        #expect(machine.certainty == .probable)
        #expect(abs(machine.difference) < 1000)
        // A time service sets the clock.
        machine.error = 0
        machine.isDisciplined = true
        machine.pass(1, hearing: [])
        #expect(machine.difference == 0)
        #expect(machine.certainty == .certain)
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

    @Test("a clock of the future that is set later goes back with the gateways")
    func backwards() {
        var machine = Machine(error: 9000 * Self.hour, isDisciplined: false)
        machine.pass(20)
        #expect(machine.certainty == .unconfirmed)
        machine.error = 0
        machine.pass(1)
        #expect(machine.difference == 0)
        #expect(machine.certainty == .certain)
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

    @Test("a backlog is no evidence against the time")
    func backlog() {
        var machine = Machine()
        machine.pass(10)
        for second in 0..<3600 {
            machine.pass(1, hearing: [])
            // An hour's backlog comes at ten times the speed.
            for gateway in ["e", "t"] {
                machine.hear(machine.truth - 3_600_000 + Int64(second) * 9000 % 3_600_000, gateway)
            }
        }
        #expect(machine.difference == 0)
        #expect(machine.clock.takeChange() == nil)
    }

    /// Eight gateways, of which the first ones show a time of 29 days later. The wall clock is 100 s late.
    private func lies(_ liars: Int) -> (machine: Machine, liars: [String], others: [String]) {
        let gateways = (1...8).map { "g\($0)" }
        return (
            Machine(error: -100_000, isDisciplined: false, gateways: gateways),
            Array(gateways.prefix(liars)), Array(gateways.dropFirst(liars))
        )
    }

    private static let days29 = 29 * 24 * hour

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

    @Test("a step of a confirmed wall clock makes the time uncertain for two days")
    func steppedWall() {
        var machine = Machine()
        machine.pass(700, hearing: [])
        machine.error = Self.days29
        machine.pass(5, late: -Self.days29)
        #expect(abs(machine.difference - Self.days29) < 1000)
        #expect(machine.certainty == .probable)
        machine.age += 49 * Self.hour
        #expect(machine.certainty == .certain)
    }

    @Test(
        "both a step by gateways and its contradiction by the wall clock are reported, one after the other"
    )
    func reports() {
        var machine = Machine(error: -Self.hour, isDisciplined: false)
        machine.hear(machine.truth, "e")
        machine.hear(machine.truth, "t")
        machine.clock.follow(
            wall: Instant(microseconds: (machine.truth - Self.hour) * 1000), isDisciplined: false,
            at: machine.now)
        #expect(machine.clock.takeChange() == .stepped(.milliseconds(Self.hour)))
        machine.pass(1, hearing: [])
        #expect(machine.clock.takeChange() == .doubted(.milliseconds(-Self.hour)))
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

    @Test(
        "a backlog does not move the time of an unconfirmed wall clock, however fast it comes",
        arguments: [0, 500, 900, 2000, 10_000] as [Int64])
    func unconfirmedBacklog(speed: Int64) {
        var machine = Machine(isDisciplined: false)
        for second in 0..<300 as Range<Int64> {
            machine.pass(1, hearing: [])
            for gateway in ["e", "t"] {
                machine.hear(Machine.noon - Self.hour + second * speed, gateway)
            }
        }
        #expect(machine.difference == 0)
    }

    @Test("most gateways set back a wall clock of the future after two minutes")
    func futureWall() {
        var machine = Machine(error: 9000 * Self.hour, isDisciplined: false)
        machine.pass(119)
        #expect(machine.difference == 9000 * Self.hour)
        machine.pass(5)
        #expect(abs(machine.difference) < 1000)
        #expect(machine.certainty == .probable)
    }
}
